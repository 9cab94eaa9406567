"""Everyday English words and names, so that a word of a quote that is one of them is taken for itself and not for a
slip of the keys. Three to eight letters, since longer words have hardly any neighbour; inflected forms are derived."""

from __future__ import annotations

from typing import Final

_WORDS: Final = """
able about above abuse accept access account ache acid acre across act action active actor actual add address adopt
adult advance advice advise affair affect afford afraid after again age agency agent agree ahead aid aim air aisle
alarm alert alien alike alive alley allow alloy ally almost alone along alpha already also alter amount amuse anchor
ancient angel anger angle angry animal ankle answer ant any apart apple apply arch area arena argue arise arm armor
army around array arrest arrive arrow art article ash aside ask asset assign assist assume assure attach attack attend
attic audit author auto avoid await awake award aware away awful axis baby back bad badge bag bail bait bake balance
bald ball ban band bang bank bar bare bargain bark barn base basic basin basis basket bass bat batch bath battle bay
beach bead beam bean bear beard beast beat beauty bed bee beef been beer before beg began begin begun behave behind
being belief bell belong below belt bench bend beneath benefit bent berry beside best bet beta better beyond bias bid
big bike bill bin bind bird birth bit bite bitter black blade blame blank blast blaze bleed blend bless blew blind
blink block blog blond blood bloom blow blue blunt blur board boast boat body boil bold bolt bomb bond bone bonus book
boom boost boot border bore born borne borrow boss both bother bottle bottom bought bounce bound bow bowl box boy
brace brain brake branch brand brass brave bread break breast breath breed brick bride bridge brief bright bring broad
broke broken bronze brother brought brown brush bubble bucket budget buffer bug build built bulb bulk bull bullet bump
bunch bundle burden burn burnt burst bury bus bush busy but button buy byte cabin cable cache cage cake call calm came
camera camp campus can canal cancel candle candy cap cape capital captain capture car carbon card care career cargo
carpet carrier carry cart carve case cash cast castle casual cat catalog catch cater cattle caught cause caution cave
cease ceiling cell cellar cement center central century chain chair chalk chance change channel chaos chapter charge
charm chart chase chat cheap cheat check cheek cheer cheese chef cherry chess chest chick chief child chill chin chip
choice choir choke choose chop chose chosen chunk church circle cite city civil claim clash clasp class clause clay
clean clear clerk clever click client cliff climate climb clip clock clone close closed cloth cloud club clue cluster
coach coal coarse coast coat code coffee coil coin cold collar collect colony color column comb come comedy comfort
comic command comment commit common company compare compel compile compose compute concept concern concert confirm
conflict confuse connect consent consist consult consume contact contain content contest context contract control
convert convey convict cook cool cope copper copy cord core corn corner correct cost cottage cotton couch cough could
council count counter country county coup couple courage course court cousin cover cow crack craft crash crawl crazy
cream create credit creek creep crew cried crime crisis crisp critic crop cross crowd crown crude cruel cruise crush
cry crystal cube cup curb cure curious currency current curse cursor curve custom cut cute cycle daily dairy dam
damage damp dance danger dare dark dash data date dawn day dead deaf deal dealt dear death debate debit debt debug
decade decay decide deck declare decline decode decor decrease deduct deed deem deep deer default defeat defect defend
defer define degree delay delete deliver delta demand demo denial dense deny depart depend deploy deposit depth deputy
derive desert deserve design desire desk despite detail detect device devote dial diary dice dict did die diet differ
dig digest digit dim dine dinner dip direct dirt dirty disc discard disk dish dispute distant ditch dive divide
division dock doctor dog doll dollar dome done donor door dose dot double doubt dough dove down dozen draft drag drain
drama drank draw drawer drawn dream dress drew dried drift drill drink drive driven driver drop drove drown drug drum
drunk dry duck due dull dumb dump during dust duty dwell each eager ear early earn earth ease east easy eat echo edge
edit editor effect effort egg eight either elbow elder elect elite else embed emerge empire employ empty enable encode
end endless enemy energy engage engine enjoy enough ensure enter entire entity entry envoy envy equal equip era erase
error erupt escape essay estate eve even event ever every evil evoke exact exam example exceed except excess excite
excuse execute exempt exist exit exotic expand expect expel expense expert expire explain explode exploit explore
export expose extend extent extra eye fabric face fact factor factory fade fail failure faint fair fairy faith fake
fall fallen false fame family famous fan fancy far fare farm fashion fast fat fatal fate father fault favor fear feast
feat feature fed fee feed feel fell fellow felt female fence fetch fever few fiber field fierce fifty fight figure
file fill film filter final finance find fine finger finish fire firm first fiscal fish fist fit five fix flag flame
flank flap flash flat flavor flaw flee fleet flesh flew flight fling flip float flock flood floor flour flow flower
fluid flush fly foam focus fog fold folder folk follow food fool foot for force fore foreign forest forever forge
forget fork form format former formula fort forth forty forum forward fossil foster fought foul found four fox frame
fraud free freeze freight fresh friend fright frog from front frost froze frozen fruit fuel full fun fund funny fur
further fuse future gain galaxy gale gallery gamble game gamma gap garage garden gas gate gather gauge gave gaze gear
gene genius gentle genuine get ghost giant gift girl give given glad glance glass gleam glide global globe gloom glory
glove glow glue goal goat gold golf gone good goods goose got govern gown grab grace grade gradual grain grand grant
grape graph grasp grass grateful grave gravel gravity gray great greed green greet grew grid grief grill grim grin
grind grip groan gross ground group grove grow grown growth guard guess guest guide guild guilt guilty guitar gulf gun
guy habit had hail hair half hall halt ham hammer hand handle hang happen happy harbor hard hardware harm harsh
harvest has hash haste hat hatch hate haul have hawk hay hazard head header heal health heap hear heard heart heat
heaven heavy hedge heel height heir held hell hello help hen hence herb herd here hero hide high hike hill hint hip
hire his history hit hobby hold hole holiday hollow holy home honest honey honor hood hook hope horn horror horse hose
host hot hotel hour house hover how hub huge human humble humor hunger hunt hurry hurt hut ice icon idea ideal idle
ignore ill image impact imply import impose improve inch include income index indoor induce infant infect infer inform
inhabit inject injure injury ink inn inner input inquire insect insert inside insist install instant instead insult
insure intact intake intend intense intent into invade invent invest invite invoice involve inward iron island issue
item jail jam jar jaw jazz jealous jet jewel job join joint joke journal journey joy judge juice jump junior junk jury
just keen keep kept kettle key kick kid kill kind king kiss kit kitchen kite knee knew knife knit knob knock knot know
known label labor lack ladder lady lag lake lamb lamp land lane language lap laptop large laser last late latency
later latest latter laugh launch laundry law lawn lawyer lay layer layout lazy lead leader leaf league leak lean leap
learn lease least leather leave lecture led left leg legacy legal legend lemon lend length lens lent less lesson let
letter level lever liable liar liberal library license lick lid lie life lift light like likely limb limit limp line
linear linen link lion lip liquid list listen lit liter little live liver load loaf loan lobby local locate lock lodge
log logic lone long look loop loose lord lose loss lost lot loud love low lower loyal luck lucky lump lunch lung lure
lying machine mad made magic magnet mail main maintain major make maker male mall man manage manner manual many map
marble march mare margin marine mark market marry mask mass mast master mat match mate material math matter mature may
maybe mayor meal mean meant measure meat medal media median medium meet mega melody melt member memory men mend mental
mention menu mercy mere merge merit merry mesh mess message met metal meter method metric middle might mild mile
military milk mill mind mine minimum minor mint minus minute mirror misery miss mist mistake mix mixture mobile mode
model modem modern modest modify module moist moment monitor monkey month mood moon moral more morning mortal most
moth mother motion motive motor mount mouse mouth move movie much mud multi murder muscle museum music must mutter
mutual mystery myth nail naked name narrow nation native natural nature naval near nearby nearly neat neck need needle
negative neighbor neither nerve nest net network neutral never new news next nice night nine noble nobody node noise
none noon nor normal north nose not note nothing notice notify notion novel now nuclear null number nurse nut oak obey
object oblige observe obtain occur ocean odd odds off offend offer office officer offset often oil old olive omit once
one onion only onset open operate opinion oppose opt option oral orange orbit order organ orient origin other ought
our out outcome outer outlet outline output outside oval oven over owe own owner pace pack package packet pad page
paid pain paint pair palace pale palm pan panel panic pants paper parade parcel pardon parent park parse parser part
partial partner party pass passage past paste pastor patch path patient patrol pattern pause pave pay payment peace
peak pear pearl peer pen penalty pencil penny people pepper per perform perhaps period permit person pet phase phone
photo phrase piano pick picture pie piece pig pile pill pillow pilot pin pine pink pint pipe pit pitch pity pixel
place plague plain plan plane planet plant plaque plastic plate play player plea plead please plot plow plug plus
pocket poem poet point poison poke pole police policy polish polite poll pond pony pool poor pop port portal pose
position possess post poster pot potato pound pour poverty powder power praise pray preach prefer prefix prepare
present preserve press pretty prevent price pride priest primary prime prince print prior prison private prize probe
problem proceed process produce product profile profit program progress project promise promote prompt proof proper
propose protect protest proud prove proven provide public publish pull pulse pump punch pupil purchase pure purge
purple purpose purse pursue push put puzzle quality quarrel quarter queen query quest queue quick quiet quilt quit
quite quiz quota quote race rack radar radical radio radius rage raid rail rain raise rally ram ran ranch random rang
range rank rapid rare rash rat rate rather ratio raw ray razor reach react read ready real realm rear reason rebel
rebuild recall receipt receive recent recipe reckon record recover recruit recycle red reduce refer reflect reform
refresh refund refuse regard regime region register regret regular reign reject relate relax relay release relief
relieve rely remain remark remedy remind remote remove render renew rent repair repeat replace reply report repress
request require rescue research resell reserve reset reside resign resist resolve resort resource respect respond rest
restart restore restrict result resume retail retain retire retreat retry return reveal revenge reverse review revise
revive revoke reward rhythm rib rice rich rid ride ridge rifle right rigid ring rinse riot rip ripe rise risen risk
rival river road roar roast rob robe robot rock rocket rod rode role roll romance roof room root rope rose rotate
rotten rough round route router routine row royal rub rubber rude rug ruin rule ruler rumor run rural rush rust sack
sacred sad saddle safe safety said sail saint sake salad salary sale salmon salt same sample sand sang sank sat
satisfy sauce save saw say scale scan scar scarce scare scene scent schedule scheme school science scold scope score
scout scrap scrape scratch scream screen screw script scroll sea seal search season seat second secret section sector
secure see seed seek seem seen segment seize seldom select self sell send senior sense sent sentence separate sequel
series serious servant serve server service session set settle seven sever severe sew shade shadow shaft shake shall
shallow shame shape shard share shark sharp shave she shed sheep sheer sheet shelf shell shelter shield shift shine
ship shirt shock shoe shook shoot shop shore short shot should shout shove show shower shown shrink shrug shut shy
sick side siege sigh sight sign signal silence silent silk silly silver similar simple sin since sing single sink sir
sister site six size skate sketch ski skill skin skip skirt skull sky slab slack slam slap slate slave sleep sleeve
slept slice slide slight slim slip slit slope slot slow small smart smash smell smile smoke smooth snack snake snap
snapshot snow soak soap sober social sock socket sofa soft software soil solar sold soldier sole solid solve some son
song soon sore sorrow sort soul sound soup sour source south space spare spark spawn speak spear special species
speech speed spell spend spent sphere spice spider spike spill spin spine spirit spit splash split spoil spoke spoken
sponsor spoon sport spot spray spread spring spur spy square squeeze stab stable stack stadium staff stage stain stair
stake stale stall stamp stand standard star stare start starve state static station statue status statute stay steady
steak steal steam steel steep steer stem step stern stick stiff still sting stir stitch stock stole stolen stomach
stone stood stool stop storage store storm story stove strain strand strange strap straw stray stream street strength
stress stretch strict stride strike string strip stripe stroke strong struck struggle stub stuck student studio study
stuff stupid style subject submit subset succeed such sudden sue suffer sugar suggest suit suite sum summary summer
summit sun sung sunk super supply support suppose sure surf surface surge surgeon surplus survey survive suspect
suspend sustain swallow swam swamp swap swear sweat sweep sweet swept swift swim swing switch sword sworn swung symbol
sync syntax system tab table tablet tackle tag tail take taken tale talent talk tall tame tank tap tape target tariff
task taste taught tax taxi tea teach team tear tech tell temper temple ten tenant tend tender tennis tense tent term
terror test text than thank that theft their them theme then theory there thesis they thick thief thin thing think
third thirst this thorough those though thought thousand thread threat three threw thrive throat throne through throw
thrown thrust thumb thunder thus ticket tide tidy tie tiger tight tile till timber time timer tin tiny tip tire title
toast today toe together toggle toilet token told toll tomato tomb tone tongue tonight tonne too took tool tooth top
topic torch tore torn toss total touch tough tour toward towel tower town toxic toy trace track trade tradition
traffic tragic trail train trait transfer transit trap trash travel tray treat treaty tree tremble trend trial tribe
trick tried trigger trim trip troop trophy trouble truck true truly trunk trust truth try tube tuck tune tunnel turkey
turn tutor twelve twenty twice twin twist two type ugly ultra under undo union unique unit unite unity until unveil
update upgrade uphold upload upon upper upset urban urge urgent usage use used useful user usual utter vacant vacuum
vague vain valid valley value valve van vanish vapor variable variant vary vast vault vector vehicle veil vein vendor
venture venue verb verify verse version very vessel veteran via vice victim victory video view village violate violent
virtual virtue virus visible vision visit visual vital vivid vocal voice void volume vote vow voyage wage wagon waist
wait wake walk wall wander want war ward ware warm warn warp wash waste watch water wave wax way weak wealth weapon
wear weary weather weave web wedding weed week weekend weep weigh weight weird welcome weld well went were west wet
whale what wheat wheel when where which while whip whisper white who whole whom whose why wide widget widow width wife
wild will win wind window wine wing winner winter wipe wire wisdom wise wish wit with within without witness woke wolf
woman women won wonder wood wool word wore work worker world worm worn worry worse worst worth would wound wrap wreck
wrist write writer written wrong wrote yard year yell yellow yes yet yield you young your youth zero zone zoom
"""
_NAMES: Final = """
jan feb mar apr jun jul aug sep sept oct nov dec january february april june july august september october november
december monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat adam alan alex alice amy
andrea andreas andrew angela anita ann anna anne anton ben bob brian carl carla carol chris christian christina
christine clara claude cody dan dana daniel daniela dave david dean diana don donna dora ed ella ellen emil emily emma
eric erica erik eva evan frank fred gary gene george georgia grace greg hanna hannah hans harry heidi helen helena
henry ian ida irene iris ivan jack jacob jake james jan jane janet jason jean jeff jenna jenny jeremy jerry jesse jill
jim joan joanna joe joel john johan johanna jon jonas joseph juan judy julia julian julie karen karl karla kate katie
keith kelly ken kevin kim kyle lara larry laura lauren lea leah lee leo leon lena linda lisa liz lou louis louise luca
lucas lucia lucy luis luke mara marc marco marcus maria marie marina mario marion mark marta martha martin mary matt
max maya meg megan mia michael michelle mike mila mina nancy nathan neil nick nicole nina nora olga oliver olivia
oscar otto pat paul paula pedro perry pete peter petra phil rachel ralph ray rebecca rita rob robert robin roger ron
rosa rosie roy ruth ryan sam sandra sandy sara sarah scott sean simon simone sofia sonia sophia sophie stefan stella
steve stephen steven sue susan ted terry theo thomas tim tina toby tom tommy tony tracy vera victor victoria wendy
will zoe paris berlin london madrid milan rome oslo seoul busan daegu daejeon tokyo kyoto osaka delhi boston austin
dallas houston denver berne bonn basel vienna geneva lyon lille lisbon porto dublin munich hamburg homburg bremen
dresden essen prague warsaw moscow cairo lima quito sydney perth texas kansas arkansas iowa ohio idaho utah spain
france italy china chile india iran iraq japan korea kenya libya malta mexico nepal niger nigeria norway oman peru
poland qatar russia serbia syria sweden austria australia turkey ukraine yemen ajax ansible aws azure bash bazel bert
bower bun cargo cassandra celery chrome clang css csv curl cypress dart debian deno django docker elixir elm emacs
ember erlang express fastapi fedora figma firebase firefox flask flink git gitea github gitlab go golang gpt gradle
grafana graphql grpc gulp hadoop haskell helm heroku html http https hugo java jenkins jest jira jquery json julia jwt
kafka keras kotlin kubernetes lambda laravel less linux llama lua maven mariadb mistral mocha mongo mssql mysql neovim
netlify nginx nodejs npm npx numba numpy nuxt oauth ollama oracle pandas parcel pdf perl php pip pipx pnpm podman
polars poetry postgres prisma prometheus pydantic pypi pytest python pytorch qdrant rabbitmq rails react redis redux
rest rollup ruby ruff rust safari sass scala scss selenium sentry solr spark splunk spring sql sqlite ssh ssl sudo
svelte svg swift tailwind tcp tensorflow terraform tls tmux tokio toml torch travis tsc typescript ubuntu udp uv uvx
vercel vim vite vitest vue wasm webpack windows xcode xml yaml yarn zig zsh
"""
WORDS: Final = frozenset(_WORDS.split())
NAMES: Final = frozenset(_NAMES.split())

_VOWELS: Final = "aeiou"


def is_english(word: str) -> bool:
    """Whether a word (lower case) is an everyday one, or a regular form of one."""
    return word in WORDS or word in NAMES or any(stem in WORDS for stem in _stems(word))


def _stems(word: str) -> list[str]:
    """What a word may be a regular form of."""
    found: list[str] = []
    if word.endswith("s") and not word.endswith("ss"):
        found.append(word[:-1])
    if word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh", "o")):
        found.append(word[:-2])
    if word.endswith(("ies", "ied", "ier")):
        found.append(f"{word[:-3]}y")
    for ending in ("ed", "ing", "er", "est", "ers", "ings"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            if stem[-1] == stem[-2] and stem[-1] not in "sl":
                found.append(stem[:-1])
            elif not _doubles(stem):
                found += [stem, f"{stem}e"]
            else:
                found.append(f"{stem}e")
    if word.endswith("ly"):
        found += [word[:-2], f"{word[:-1]}e"]
    return found


def _doubles(stem: str) -> bool:
    """Whether a verb doubles its last letter before an ending (`ship`, `shipped`): one vowel between consonants."""
    if len(stem) not in (3, 4) or stem[-1] in "wxyaeiou":
        return False
    return stem[-2] in _VOWELS and stem[-3] not in _VOWELS
