"""Services: clouds (Terraform, Ansible, web servers, curl), containers (Docker, Kubernetes, Helm), databases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, rule, tool
from core.errors.identity.keylines.lines import KeyLineCandidate, Page, whole


def _terraform(page: Page) -> Iterator[KeyLineCandidate]:
    """The headline of each box; its gutter was taken off."""
    for number in page.having(("Error: ",)):
        if page.text(number).lstrip("╷│ ").startswith("Error: "):
            yield whole(page, number, REPORT)


def _ansible(page: Page) -> Iterator[KeyLineCandidate]:
    """`fatal: [host]: FAILED! => …`; one that the play ignores comes after the others."""
    for number in page.having(("FAILED!", "UNREACHABLE!")):
        if re.match(r"(?:fatal|failed): \[.*?\].*(?:FAILED|UNREACHABLE)!", page.text(number)):
            yield whole(page, number, REPORT - 1 if page.text(number + 1).startswith("...ignoring") else REPORT)


def _wrangler(page: Page) -> Iterator[KeyLineCandidate]:
    """`A request … failed.` wraps what the service answered, on the next line."""
    for number in page.having(("[ERROR] A request to the Cloudflare API",)):
        message_number = page.next_filled(number + 1, 3)
        yield whole(page, number, DETAIL)
        if message_number is not None:
            yield whole(page, message_number, CAUSE + 1)


CLOUDS = (
    tool("wrangler", signs=("[ERROR] A request to the Cloudflare API",), find=_wrangler),
    tool("terraform", signs=("╷", ".tf line ", "erraform"), find=_terraform),
    tool("terraform", rule("Terraform has no command named", r"Terraform has no command named .*", REPORT)),
    tool("ansible", signs=("FAILED!", "UNREACHABLE!"), find=_ansible),
    tool(
        "ansible",
        rule("ERROR! ", r"ERROR! .*", REPORT),
        rule("[ERROR]: ", r"\[ERROR\]: .*", REPORT),
    ),
    tool(
        "aws",
        rule(
            "An error occurred (",
            r"(?:fatal error: |\w+ failed: .{1,400}? )?An error occurred \(\w[\w.]*\) .*",
            REPORT + 2,
        ),
        rule("Unable to locate credentials", r"Unable to locate credentials.*", REPORT),
        rule("aws: error: ", r"aws: error: .*", REPORT),
        rule(
            ("Could not connect to the endpoint", "The config profile", "Partial credentials"),
            r"(?:Could not connect to the endpoint|The config profile|Partial credentials).*",
            REPORT,
        ),
    ),
    tool("gcloud", rule("ERROR: (", r"ERROR: \((?:gcloud|bq|gsutil)[\w.-]*\) .*", REPORT)),
    tool(
        "azure",
        rule(("Code: ", "Message: ", "(Resource", "(Auth"), r"\((?:[A-Z][a-z]+){2,}\) .*", REPORT),
        rule("ERROR: ", r"ERROR: (?:AADSTS|\([A-Z]|The |Please run).*", REPORT),
    ),
    tool(
        "gh",
        rule("GraphQL: ", r"(?:[a-z][\w ]{2,40} failed: )?GraphQL: .*", REPORT),
        rule("Unknown JSON field: ", r"Unknown JSON field: .*", REPORT),
        rule("failed to parse jq expression", r"failed to parse jq expression.*", REPORT),
        rule(" already exists:", r"a pull request for branch .* already exists:", REPORT),
        rule(("X Pull request ", "X Failed to log in"), r"X (?:Pull request|Failed to log in) .*", REPORT),
        rule("gh auth login", r"To get started with GitHub CLI.*|.*\bgh auth login\b.*", DETAIL + 5),
        rule(
            ("no pull requests found", "no default remote repository", "none of the git remotes"),
            r"(?:no pull requests found|X?\s*No default remote repository|none of the git remotes).*",
            REPORT,
        ),
        rule("gh: ", r"gh: .*", REPORT),
        rule("HTTP ", r"HTTP \d{3}: .*", REPORT - 1),
    ),
    tool(
        "curl",
        rule("curl: (", r"curl: \(\d+\) .*", REPORT),
        rule("curl: ", r"curl: (?:option|no URL|try).*", REPORT - 5),
    ),
    tool("ping", rule("packet loss", r"\d+ packets transmitted, .*\b100(?:\.0)?% packet loss.*", REPORT)),
    tool("http", rule("HTTP/", r"(?:< )?HTTP/[\d.]+ [45]\d\d\b.*", DETAIL + 2)),
    tool("glab", rule("gitlab", r"(?:ERROR: |X )?(?:GET|Post|Get|POST|PUT|DELETE) https?://\S+: \d{3} .*", REPORT)),
    tool(
        "wget",
        rule("wget: ", r"wget: .*", REPORT),
        rule("ERROR ", r"ERROR [345]\d\d: .*", REPORT),
        rule("failed: ", r"Connecting to .*failed: (?P<key>.*)", DETAIL),
    ),
    tool(
        "nginx",
        rule("nginx: ", r"nginx: \[(?:emerg|alert|crit|error)\] .*", REPORT + 1),
        rule("nginx: configuration file", r"nginx: configuration file .* test failed", WRAPPER),
        rule("[emerg]", r"\[(?:emerg|alert|crit)\] .*", REPORT),
    ),
    tool("apache", rule("AH0", r"AH\d{5}: .*", REPORT)),
    tool(
        "systemd",
        rule("Job for ", r"Job for \S+ failed .*", REPORT),
        rule("Failed at step ", r"\S+: Failed at step .*", REPORT),
        rule("Failed to start ", r"Failed to start .*", DETAIL),
        rule(
            "Failed to ",
            r"Failed to (?:stop|restart|enable|disable|get|connect to bus|execute|reload) .*",
            REPORT - 1,
        ),
        rule("Main process exited", r"\S+: Main process exited, .*", DETAIL),
    ),
)


_RUN = r"(?:process|executor failed running|The command) .*(?:did not complete|returned a non-zero|exit code).*"


def _solve(page: Page) -> Iterator[KeyLineCandidate]:
    """`failed to solve` wraps what the step said, unless it names the reason itself."""
    for number in page.having(("failed to solve", "ERROR: ")):
        text = page.text(number).lstrip()
        if not re.match(r"(?:ERROR: )?(?:failed to solve|" + _RUN[3:], text) and "failed to solve" not in text:
            continue
        hollow = "did not complete successfully" in text or "executor failed running" in text or "exit code" in text
        yield whole(page, number, WRAPPER if hollow else REPORT)


CONTAINERS = (
    tool("docker", signs=("failed to solve", "did not complete successfully"), find=_solve),
    tool(
        "docker",
        rule("Error response from daemon: ", r"(?:docker: )?Error response from daemon: .*", REPORT + 1),
        rule(
            "docker daemon",
            r"(?:.*: )?(?:Cannot connect to the Docker daemon|error during connect|"
            r"permission denied while trying to connect).*",
            REPORT + 1,
        ),
        rule(
            ("Cannot connect to the Docker daemon", "error during connect", "permission denied while trying"),
            r"(?:docker: |ERROR: )?(?:Cannot connect to the Docker daemon|"
            r"error during connect|permission denied while trying to connect).*",
            REPORT + 1,
        ),
        rule("template parsing error: ", r"template parsing error: .*", REPORT),
        rule("docker: ", r"docker: (?!Error response)\S+\s+\S.*", REPORT),
        rule("parse error", r"(?:ERROR: )?(?:failed to solve: )?[Dd]ockerfile parse error.*", CAUSE),
        rule("unknown instruction", r"(?:ERROR: |Error: )?.*unknown instruction: .*", CAUSE),
        rule(
            "ERROR: ",
            r"ERROR: (?:failed to|Cannot|unable to|invalid|no such (?:image|service|container|"
            r"host)|pull access|resolve|unexpected|open|error|\"docker).*",
            REPORT,
        ),
        rule("ERROR: ", rf"ERROR: {_RUN}", WRAPPER),
        rule("returned a non-zero code", r"The command .* returned a non-zero code.*", WRAPPER),
        rule("unable to prepare context", r"(?:ERROR: )?unable to prepare context: .*", REPORT),
        rule((" failed: ",), r"(?:COPY|ADD|RUN|FROM) failed: .*", REPORT + 1),
        rule("OCI runtime", r"OCI runtime .*", REPORT),
        rule(("Exited (", "Restarting ("), r".*\b(?:Exited|Restarting) \([1-9]\d*\).*", DETAIL + 1),
        rule("exec ", r"exec (?:/|\S+: exec format error).*", REPORT),
        rule("standard_init_linux", r"standard_init_linux\.go:\d+: .*", REPORT),
    ),
    tool(
        "compose",
        rule(
            (
                "container ",
                "no configuration file provided",
                "no such service",
                "refers to undefined",
                "is unhealthy",
                "dependency failed to start",
                "invalid compose project",
                "env file ",
                "validating ",
            ),
            r"(?:ERROR: )?(?:no configuration file provided.*|no such service: .*|service \".*|"
            r"(?:Error )?dependency failed to start.*|"
            r"container \S+ (?:exited \([1-9]\d*\)|is unhealthy)|env file .*|validating .*)",
            REPORT + 1,
        ),
        rule("yaml: ", r"(?:ERROR: |parsing \S+: )?yaml: .*", REPORT),
        rule(
            "exited with code",
            r"(?!Process|Command|Script|Task|Job)[\w.-]+ exited with code [1-9]\d*(?: \(restarting\))?",
            DETAIL,
        ),
    ),
    tool(
        "podman",
        rule(
            "Error: ",
            r"Error: (?:short-name|initializing source|creating container|OCI|"
            r"no container|unable to find|image|crun).*",
            REPORT,
        ),
    ),
    tool(
        "helm",
        rule(
            ("Error: INSTALLATION", "Error: UPGRADE", "Error: "),
            r"Error: (?:INSTALLATION FAILED|UPGRADE FAILED|chart|release|repo|template|parse error|"
            r"execution error|YAML parse|failed to (?:download|fetch)|rendered manifests|Kubernetes cluster).*",
            REPORT,
        ),
    ),
    tool(
        "kubectl",
        rule("Error from server", r"Error from server(?: \(\w+\))?: .*", REPORT + 1),
        rule("The connection to the server", r"The connection to the server .*", REPORT + 1),
        rule("Unable to connect to the server", r"Unable to connect to the server: .*", REPORT + 1),
        rule("is invalid: ", r"The \w+ \".*\" is invalid: .*", REPORT + 1),
        rule(
            "error: ",
            r"error: (?:error |the server doesn't|unable to (?:recognize|load|decode|read|upgrade)|"
            r"no (?:objects|matches|configuration|context)|You must be|resource|timed out|current-context|"
            r"the path|unknown (?!(?:option|switch)\b)|stat|context|there is no|arguments|must specify|selector|"
            r"deployment|cannot exec|container|Internal|flag|You cannot).*",
            REPORT,
        ),
        rule("Failed to pull image", r"(?:Warning\s+Failed\s+.*?)?(?P<key>Failed to pull image .*)", REPORT),
        rule(("Back-off", "CrashLoopBackOff"), r".*?(?P<key>Back-off .*)", DETAIL),
        rule("Warning ", r"Warning\s+\w*Fail\w*\s+\S+(?: \(.*?\))?\s+\S+\s+(?P<key>.*)", REPORT - 1),
    ),
)


def _sql_server(page: Page) -> Iterator[KeyLineCandidate]:
    """`Msg n, Level …` and the message below it."""
    for number in page.having(("Msg ",)):
        if re.match(r"Msg \d+, Level \d+", page.text(number)) and page.text(number + 1):
            yield whole(page, number + 1, CAUSE)


def _oracle(page: Page) -> Iterator[KeyLineCandidate]:
    for number in page.having(("ORA-", "PLS-", "SP2-", "TNS-")):
        if re.match(r"(?:.{0,40}: )?(?:ORA|PLS|SP2|TNS)-\d{4,5}: ", page.text(number)):
            yield whole(page, number, CAUSE)


_DBT = re.compile(
    r".{0,40}(?:(?:Compilation|Database|Dependency|Parsing|Runtime|Validation) Error in \w+ |Failure in test )\S+ "
)


def _dbt(page: Page) -> Iterator[KeyLineCandidate]:
    """The message below the heading of a model, a test or a macro that failed."""
    for number in page.having((" Error in ", "Failure in test ")):
        below = page.next_filled(number + 1, 2)
        if below is not None and _DBT.match(page.text(number)):
            yield whole(page, below, CAUSE)


DATABASES = (
    tool(
        "psql",
        rule(
            ("ERROR:  ", "FATAL:  ", "PANIC:  ", "오류:  ", "치명적오류:  "),
            r"(?:ERROR|FATAL|PANIC|오류|치명적오류):  (?!Error installing |the database system is )\S.*",
            CAUSE,
        ),
        rule("psql: ", r"psql: (?:error: |오류: |FATAL: ).*", CAUSE),
        rule(
            ("pg_", "createdb", "dropdb", "initdb", "postgres: "),
            r"(?:pg_\w+|createdb|dropdb|initdb|postgres): (?:error|오류|fatal|database .*failed).*",
            CAUSE,
        ),
    ),
    tool(
        "mysql",
        rule("ERROR ", r"ERROR \d{4} \([0-9A-Z]{5}\)(?: at line \d+)?: .*", CAUSE),
        rule("mysqldump", r"mysql\w*: (?:Got error|\[ERROR\]|Couldn't|Error).*", CAUSE),
    ),
    tool(
        "sqlite",
        rule("Parse error", r"Parse error(?: near line \d+)?: .*", CAUSE),
        rule("Runtime error", r"Runtime error(?: near line \d+)?: .*", CAUSE),
        rule(
            "Error: ",
            r"Error: (?:near |in prepare|stepping|unable to open|no such|file is not|database|UNIQUE|cannot).*",
            CAUSE,
        ),
    ),
    tool(
        "redis",
        rule("(error) ", r"\(error\) .*", CAUSE),
        rule(
            ("CLUSTERDOWN ", "LOADING ", "MISCONF ", "NOAUTH ", "NOPERM ", "READONLY ", "WRONGPASS ", "WRONGTYPE "),
            r"(?:CLUSTERDOWN|LOADING Redis|MISCONF|NOAUTH|NOPERM|READONLY|WRONGPASS|WRONGTYPE) .*",
            REPORT,
        ),
        rule("Could not connect to Redis", r"Could not connect to Redis.*", CAUSE),
    ),
    tool("mongodb", rule("Mongo", r"(?:Uncaught:?\s*)?Mongo\w*(?:Error|Exception)(?:\[\w+\])?: .*", CAUSE)),
    tool("dbt", signs=(" Error in ", "Failure in test "), find=_dbt),
    tool("oracle", signs=("ORA-", "PLS-", "SP2-", "TNS-"), find=_oracle),
    tool("sqlserver", signs=("Msg ",), find=_sql_server),
    tool(
        "clickhouse",
        rule(
            "DB::Exception",
            r"(?:Received exception from server.*|Code: \d+\. DB::Exception: .*|DB::Exception: .*)",
            CAUSE,
        ),
        rule("Received exception from server", r"Received exception.*", WRAPPER),
    ),
    tool(
        "cassandra",
        rule(("InvalidRequest", "SyntaxException"), r"(?:InvalidRequest|SyntaxException|Unauthorized): .*", CAUSE),
    ),
    tool(
        "prisma",
        rule("P", r"(?:Error: )?P[1-6]\d{3}\b(?!\Z).*", CAUSE),
        rule("Error: P", r"Error: P[1-6]\d{3}\Z", WRAPPER + 4),
        rule("Error code: P", r"Error code: P\d{4}", REPORT),
        rule("Prisma", r"Prisma\w+Error: .*", CAUSE),
    ),
    tool("liquibase", rule("Unexpected error running Liquibase", r"Unexpected error running Liquibase: .*", CAUSE)),
)
