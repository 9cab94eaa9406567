"""What a word says about an error: little where many errors have it, much where few do (idf)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Final, cast

import apsw

_THOUSAND: Final = (
    "error 181 failed 75 type 74 found 60 file 52 exception 52 invalid 50 value 50 get 45 name 30 missing 30 server "
    "27 must 26 function 26 argument 26 object 25 already 25 unknown 24 because 24 key 24 class 23 make 23 module 22 "
    "request 21 use 21 out 21 field 21 exceeded 20 package 19 expected 19 find 19 property 18 exist 18 "
    "directory 18 com 18 unable 18 version 17 variable 17 resource 17 syntax 16 used 16 response 16 method 16 command "
    "15 current 15 path 15 drop 15 undefined 15 json 15 string 15 org 15 access 15 url 14 load 14 warning 14 required "
    "14 connection 14 code 14 read 14 files 14 state 14 defined 14 reference 13 match 13 import 13 open 13 "
    "unsupported 12 project 12 target 12 running 12 database 12 column 12 exists 12 denied 12 call 11 named 11 "
    "expression 11 non 11 bad 11 table 11 daemon 11 service 11 dependency 11 using 11 requested 11 after 11 set 11 "
    "create 11 lock 11 parameter 11 container 11 requires 10 operation 10 valid 10 limit 10 called 10 "
    "arguments 10 integer 10 refused 10 many 10 build 10 connect 10 resolve 9 memory 9 node 9 empty 9 data 9 process "
    "9 start 9 incompatible 9 err 8 size 8 unexpected 8 format 8 member 8 return 8 statement 8 null 8 instance 8 int "
    "8 thread 8 status 8 timeout 8 system 8 sql 8 web 8 time 8 range 8 run 8 near 8 same 8 webpack 8 plugin 8 "
    "environment 8 attribute 8 different 8 input 8 component 8 group 8 closed 8 got 8 allowed 8 update 8 check 8 left "
    "8 test 8 local 8 http 8 mismatch 8 row 8 login 8 device 8 supported 7 maximum 7 declared 7 duplicate 7 specified "
    "7 constraint 7 given 7 returned 7 context 7 stop 7 overflow 7 long 7 block 7 query 7 available 7 struct 7 "
    "matching 6 stack 6 dependencies 6 conflict 6 imported 6 initialized 6 vite 6 detected 6 provided 6 default 6 "
    "script 6 may 6 max 6 port 6 certificate 6 length 6 content 6 execute 6 transaction 6 image 6 element 6 number 6 "
    "parse 6 scope 6 values 6 large 6 array 6 timed 6 option 6 illegal 6 host 6 types 6 nil 6 address 6 repository 6 "
    "active 6 authentication 6 permission 6 fix 5 private 5 remote 5 multiple 5 setting 5 write 5 received 5 "
    "assignment 5 before 5 due 5 wrong 5 src 5 result 5 react 5 objects 5 initialization 5 exit 5 variables 5 attempt "
    "5 expired 5 exceptions 5 trait 5 items 5 java 5 add 5 release 5 space 5 security 5 systemd 5 php 5 blocked 5 "
    "workspace 5 password 5 feature 5 git 5 library 5 peer 5 engine 5 hook 5 options 5 const 5 vue 5 circular 5 "
    "output 5 currently 5 instead 5 constructor 5 delete 5 known 5 declaration 5 terminated 5 channel 5 relation 5 "
    "depends 5 page 5 keys 5 bind 5 trying 5 rule 5 remove 5 sequence 5 socket 5 new 5 sync 5 loop 5 incorrect 5 "
    "metrics 5 message 5 template 5 task 5 foreign 5 mapping 5 packages 5 source 5 storage 5 ambiguous 5 fatal 5 "
    "validation 5 pull 5 violates 5 policy 5 forbidden 5 try 5 localhost 5 contain 4 merge 4 contains 4 enabled 4 "
    "present 4 assign 4 export 4 entry 4 yet 4 body 4 base 4 abstract 4 include 4 operator 4 referenced 4 end 4 "
    "extension 4 agent 4 first 4 unauthorized 4 lookup 4 namespace 4 cast 4 schema 4 during 4 unrecognized 4 loading "
    "4 entity 4 prop 4 requests 4 child 4 render 4 location 4 warn 4 another 4 between 4 str 4 apply 4 byte 4 convert "
    "4 conversion 4 reading 4 pool 4 zero 4 conflicting 4 models 4 clients 4 needed 4 installed 4 signature 4 unused "
    "4 panicked 4 header 4 creating 4 execution 4 reached 4 parsing 4 branch 4 waiting 4 main 4 network 4 commit 4 "
    "pod 4 configs 4 record 4 redis 4 located 4 role 4 registry 4 program 4 docker 4 "
)
SMALL_BASE: Final = 50
"""Cases below which the base itself cannot say which words are common: the shipped table alone does."""
_CONTENT = 25  # of a thousand errors that may have a word which still says what an error is about


def _table() -> Mapping[str, int]:
    said = _THOUSAND.split()
    return {word: int(count) for word, count in zip(said[::2], said[1::2], strict=True)}


_SHARES: Final = _table()


def weights(con: apsw.Connection, asked: Iterable[str], cases: int) -> dict[str, float]:
    """The idf of each word in a base of so many `cases`: ln(1 + N/df), N at least `SMALL_BASE`.

    How many cases have a word is what the index counts, and at least what the shipped table of a thousand errors lets
    expect: the index knows `TypeError` as one word, and a small base knows nothing.
    """
    if cases < SMALL_BASE:
        return expected(asked, cases)
    several = list(asked)
    rows = con.execute(
        "SELECT term, doc FROM json_each(?) CROSS JOIN case_term ON term = value", (json.dumps(several),)
    ).fetchall()
    counted = dict(cast("list[tuple[str, int]]", rows))
    return {word: _idf(word, cases, counted.get(word, 0)) for word in several}


def expected(asked: Iterable[str], cases: int) -> dict[str, float]:
    """The same by the shipped table alone."""
    return {word: _idf(word, cases, 0) for word in asked}


def _idf(word: str, cases: int, counted: int) -> float:
    size = max(cases, SMALL_BASE)
    return math.log(1 + size / max(1.0, counted, _SHARES.get(word, 0) * size / 1000))


def heaviest(cases: int) -> float:
    """The idf of a word that one case alone has."""
    return math.log(1 + max(cases, SMALL_BASE))


def is_content(word: str) -> bool:
    """Whether the word says what an error is about: `module` does, `failed` does not."""
    return _SHARES.get(word, 0) <= _CONTENT


def is_of_errors(word: str) -> bool:
    """Whether errors are told in this word, whatever they are about: one that the shipped table has."""
    return word in _SHARES
