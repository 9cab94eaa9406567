"""Docker, BuildKit, Compose, Podman, Kubernetes, Helm."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, Found, Tool, rule, whole
from core.errors.identity.keylines.lines import Page

_RUN = r"(?:process|executor failed running|The command) .*(?:did not complete|returned a non-zero|exit code).*"


def _solve(page: Page) -> Iterator[Found]:
    """`failed to solve` wraps what the step said, unless it names the reason itself."""
    for number in page.having(("failed to solve", "ERROR: ")):
        text = page.text(number).lstrip()
        if not re.match(r"(?:ERROR: )?(?:failed to solve|" + _RUN[3:], text) and "failed to solve" not in text:
            continue
        hollow = "did not complete successfully" in text or "executor failed running" in text or "exit code" in text
        yield whole(page, number, WRAPPER if hollow else REPORT)


TOOLS = (
    Tool("docker", signs=("failed to solve", "did not complete successfully"), find=_solve),
    Tool(
        "docker",
        rules=(
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
            rule("docker: ", r"docker: (?!Error response).*", REPORT),
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
    ),
    Tool(
        "compose",
        rules=(
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
                DETAIL + 2,
            ),
        ),
    ),
    Tool(
        "podman",
        rules=(
            rule(
                "Error: ",
                r"Error: (?:short-name|initializing source|creating container|OCI|"
                r"no container|unable to find|image|crun).*",
                REPORT,
            ),
        ),
    ),
    Tool(
        "helm",
        rules=(
            rule(
                ("Error: INSTALLATION", "Error: UPGRADE", "Error: "),
                r"Error: (?:INSTALLATION FAILED|UPGRADE FAILED|chart|release|repo|template|parse error|"
                r"execution error|YAML parse|failed to (?:download|fetch)|rendered manifests|Kubernetes cluster).*",
                REPORT,
            ),
        ),
    ),
    Tool(
        "kubectl",
        rules=(
            rule("Error from server", r"Error from server(?: \(\w+\))?: .*", REPORT + 1),
            rule("The connection to the server", r"The connection to the server .*", REPORT + 1),
            rule("Unable to connect to the server", r"Unable to connect to the server: .*", REPORT + 1),
            rule("is invalid: ", r"The \w+ \".*\" is invalid: .*", REPORT + 1),
            rule(
                "error: ",
                r"error: (?:error |the server doesn't|unable to (?:recognize|load|decode|read|upgrade)|"
                r"no (?:objects|matches|configuration|context)|You must be|resource|timed out|current-context|"
                r"the path|unknown|stat|context|there is no|arguments|must specify|selector|"
                r"deployment|cannot exec|container|Internal|flag|You cannot).*",
                REPORT,
            ),
            rule("Failed to pull image", r"(?:Warning\s+Failed\s+.*?)?(?P<key>Failed to pull image .*)", REPORT),
            rule(("Back-off", "CrashLoopBackOff"), r".*?(?P<key>Back-off .*)", DETAIL),
            rule("Warning ", r"Warning\s+\w*Fail\w*\s+\S+(?: \(.*?\))?\s+\S+\s+(?P<key>.*)", REPORT - 1),
        ),
    ),
)
