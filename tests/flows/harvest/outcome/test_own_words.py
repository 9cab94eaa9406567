"""Failures that only the words of a program tell: no exit code, exit code 0, or a tool that was cut off."""

from __future__ import annotations

import pytest

from core.flows.harvest.command import command_of
from core.flows.harvest.events import Ran
from core.flows.harvest.outcome import Outcome, judge
from tests.flows.harvest.chat import judged, names

REFUSED = "curl: (7) Failed to connect to 127.0.0.1 port 8080 after 0 ms: Couldn't connect to server"
PASSED = "FAIL: order 3\n1226 pass\n0 fail\n"


def of_script(command: str, text: str) -> Outcome:
    """The verdict on a command that a script of Codex ran, which tells no exit code."""
    ran = Ran("s", 0, "main", "exec", {"cmd": command}, f"Script completed\nOutput:\n{text}", "none", None)
    return judge(ran._replace(facts={"script": True}), command_of("exec", ran.tool_input))


@pytest.mark.parametrize(
    ("command", "text", "key"),
    [
        ("node check.js 2>&1", "orders:\n  FAIL: the newest order comes first\n2 of 3 right", "FAIL: the newest order"),
        ("node -e 'connect().catch(say)'", 'FAIL: password authentication failed for user "shop"', "FAIL: password"),
        ("python -c 'ask()'", "key: len= 108\nFAILED: AuthenticationError Error code: 401", "FAILED: Authentication"),
        ("python sync.py", "3 orders\nError: the shop refused the request", "Error: the shop refused"),
        ("psql -f a.sql", 'CREATE TABLE\npsql:a.sql:26: ERROR:  relation "orders" does not exist', 'relation "orders"'),
    ],
)
def test_a_script_that_says_that_it_failed_did(command: str, text: str, key: str) -> None:
    outcome = judged(command, text)
    assert outcome.sign == "incident"
    assert key in names(outcome)[0]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("bun test", PASSED),
        ("cat check.log", "FAIL: the newest order comes first"),
        ("node check.js > /tmp/check.log 2>&1 &", "FAIL: this is what was there before"),
    ],
)
def test_what_a_run_that_passed_or_a_look_prints_is_no_failure(command: str, text: str) -> None:
    assert judged(command, text).sign is None


@pytest.mark.parametrize(
    ("command", "text", "sign"),
    [
        ("curl -sS http://127.0.0.1:8080/health && curl -sS http://127.0.0.1:8080/orders | jq .", REFUSED, "incident"),
        ("curl -sS http://127.0.0.1:8080/health; curl -sS http://127.0.0.1:8081/health", REFUSED, None),
        ("ps -ef | rg shop", "zsh:1: operation not permitted: ps", "incident"),
        ("gh pr view 5 && git show HEAD:a.md", "{}\nfatal: path 'a.md' exists on disk, but not in 'HEAD'", "incident"),
        ("gh auth status; ls docs", "✓ Logged in\nls: docs: No such file or directory", None),
        ("sed -n 1,9p a.md; ls docs", "text\nls: docs: No such file or directory", "answer"),
        ("cat shop.log", "10:00 start\nerror: the shop is closed", None),
    ],
)
def test_a_look_of_a_script_failed_where_its_last_words_complain(command: str, text: str, sign: str | None) -> None:
    assert of_script(command, text).sign == sign


@pytest.mark.parametrize(
    ("tool", "text", "sign"),
    [
        ("WebFetch", "Unable to verify if domain example.org is safe to fetch. This may be due to network", "incident"),
        ("WebFetch", "getaddrinfo ENOTFOUND shop.example.org", "incident"),
        ("WebFetch", "Request failed with status code 404", "agent_tool"),
        ("Glob", "Ripgrep search timed out after 20 seconds. Try searching a more specific path.", "incident"),
        ("Grep", "ENOENT: no such file or directory, posix_spawn '/opt/agent/2.1/agent'", "incident"),
        ("Read", "ENOENT: no such file or directory, open '/w/a.md'", "agent_tool"),
        ("mcp__shop__order", 'Streamable HTTP error: Error POSTing to endpoint: {"error":{}}', "incident"),
        ("js", "browserType.launch: Executable doesn't exist at /w/chrome", "incident"),
    ],
)
def test_a_tool_that_the_network_or_the_machine_stopped_is_no_mistake(tool: str, text: str, sign: str) -> None:
    outcome = judged("true", text, 0, "error", tool)
    assert outcome.sign == sign
    assert bool(outcome.errors) == (sign == "incident")


def test_an_agent_whose_model_refused_did_nothing() -> None:
    refused = 'API Error: 429 {"error":{"message":"High concurrency, please contact support"}}'
    assert judged("true", refused, 0, "none", "Task").sign == "incident"
    assert judged("true", "The API answers 429 to the third call.", 0, "none", "Task").sign is None


def test_what_powershell_does_not_run_is_seen_in_looks_and_patches() -> None:
    unknown = 'nl : Die Benennung "nl" wurde nicht erkannt.\n+ nl a.ts | Select-String x\n+ ~~\n'
    unknown += "    + CategoryInfo          : ObjectNotFound: (nl:String) [], CommandNotFoundException\n"
    unknown += "    + FullyQualifiedErrorId : CommandNotFoundException\n"
    assert judged("nl a.ts | Select-String x", unknown, 1, tool="shell_command").sign == "incident"
    parsed = "In Zeile:1 Zeichen:14\n+ apply_patch << 'PATCH'\n+             ~\nDateispezifikation fehlt.\n"
    parsed += "    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException\n"
    assert judged("apply_patch << 'PATCH'\n*** Begin Patch\nPATCH", parsed, 1, tool="shell_command").sign == "incident"
    missing = "Invoke-WebRequest : Cannot process command because of missing parameters: Uri.\nAt line:1 char:1\n"
    missing += "+ curl -I http://localhost:8081/ 2>&1 | Select-String HTTP\n+ ~~~~\n"
    missing += "    + CategoryInfo          : InvalidArgument: (:) [Invoke-WebRequest], ParameterBindingException\n"
    missing += "    + FullyQualifiedErrorId : MissingMandatoryParameter,Microsoft.PowerShell.Commands.Invoke\n"
    outcome = judged("curl -I http://localhost:8081/ 2>&1 | Select-String HTTP", missing, 1, tool="PowerShell")
    assert outcome.sign == "incident"
    assert names(outcome)[0].startswith("Invoke-WebRequest : Cannot process command")


def test_a_path_with_brackets_that_powershell_does_not_find_is_a_pattern_to_it() -> None:
    said = "Get-Content : An object at the specified path app\\[id]\\page.tsx does not exist, or has been filtered.\n"
    said += "At line:1 char:1\n+ Get-Content app\\[id]\\page.tsx\n+ ~~~~\n"
    said += "    + CategoryInfo          : ObjectNotFound: (System.String[]:String[]) [Get-Content], Exception\n"
    said += "    + FullyQualifiedErrorId : ItemNotFound,Microsoft.PowerShell.Commands.GetContentCommand\n"
    assert judged("Get-Content app\\[id]\\page.tsx", said, 1).sign == "incident"
    assert judged("Get-Content app\\id\\page.tsx", said.replace("[id]", "id"), 1).sign == "answer"
    assert judged("Get-Content -LiteralPath app\\[id]\\page.tsx", said, 1).sign == "answer"


def test_a_step_that_went_well_names_no_failure() -> None:
    assert (
        names(judged("./deploy.sh", "Deploy\nShop\nHere\nStep 1\n  \x1b[32m✓\x1b[0m Python 3.10 (>= 3.9 required)", 1))
        == []
    )
    assert names(judged("where python3; echo ---; python3 -c 1", "C:\\Apps\\python3.exe\n---", 49)) == []


def test_a_log_without_commits_answers_in_powershell_too() -> None:
    said = "fatal: your current branch 'main' does not have any commits yet"
    assert judged("git log --oneline -5", said, 1, tool="shell_command").sign == "answer"


def test_a_search_without_a_hit_and_a_question_without_an_answer_are_answered() -> None:
    assert judged("brew search --casks shop", 'Error: No formulae or casks found for "shop".', 1).sign == "answer"
    asked = judged("which anchor && anchor --version; which rustc && rustc --version", "/usr/bin/rustc\n", 1)
    assert asked.sign == "answer"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (
            "pdflatex main.tex | tail -12",
            "(./main.aux)\n! Undefined control sequence.\nl.14 \\figref\nTranscript written.",
        ),
        (
            "for f in *.php; do php -l $f; done",
            "Parse error: syntax error, unexpected token in a.php on line 2\nErrors parsing a.php",
        ),
        ("perl imp.pl || true", "Can't locate Text/CSV.pm in @INC (@INC contains: /etc/perl) at imp.pl line 2."),
        (
            "sqlite3 app.db < m.sql 2>&1 | cat",
            "Runtime error near line 3: UNIQUE constraint failed: users.id (19)\n2 users",
        ),
        (
            "kubectl get pods 2>&1 | tail -2",
            "The connection to the server localhost:8080 was refused - did you specify it?",
        ),
        ("aws s3 ls s3://a 2>&1 || true", "Unable to locate credentials. You can configure credentials."),
        (
            "for h in a b; do ssh $h uptime; done",
            "== a\nssh: connect to host a port 22: No route to host\n== b\nup 3 days",
        ),
        ("redis-cli LPUSH a b", "WRONGTYPE Operation against a key holding the wrong kind of value"),
        ("./backup.sh 2>&1 | tail -5", "dumping shop\npg_dump: error: server version: 16.2; pg_dump version: 14.11"),
        (
            "mkdocs build --strict 2>&1 | tail -3",
            "WARNING -  a.md is not found\n\nAborted with 2 warnings in strict mode!",
        ),
        ("jq -r .name a.json || true", "parse error: Expected another key-value pair at line 1, column 22"),
        (
            "curl -s https://api.acme.io/graphql -d '{}'",
            '{"errors":[{"message":"Internal server error: ETIMEDOUT"}],"data":{"viewer":null}}',
        ),
    ],
)
def test_a_failure_shows_in_the_words_of_its_own_program(command: str, output: str) -> None:
    assert judged(command, output).sign == "incident"


@pytest.mark.parametrize(
    ("command", "output", "code"),
    [
        (
            "python3 big.py | head -3",
            "a\nTraceback (most recent call last):\nBrokenPipeError: [Errno 32] Broken pipe",
            0,
        ),
        ("set -o pipefail; yes 'migrate error' | head -2", "migrate error\nmigrate error", 141),
        ("id jenkins", "id: 'jenkins': no such user", 1),
        ("kubectl auth can-i delete nodes", "no", 1),
        ("pip show flask-migrate 2>&1", "WARNING: Package(s) not found: flask-migrate", 1),
        ("terraform plan -detailed-exitcode", "Plan: 1 to add, 0 to change, 0 to destroy.", 2),
        ("cat SKILL.md && gh auth status | head -3", "If it fails, run gh auth login. error: never", 0),
    ],
)
def test_an_answer_or_a_reader_that_had_enough_is_no_incident(command: str, output: str, code: int) -> None:
    assert judged(command, output, code).sign != "incident"


def test_a_plan_that_could_not_be_made_failed() -> None:
    output = "\nError: Reference to undeclared input variable\n\n  on main.tf line 3\n"
    assert judged("terraform plan -no-color", output, 1).sign == "incident"
