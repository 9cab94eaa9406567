"""Terraform, Ansible, cloud command lines, web servers, curl and wget."""

from __future__ import annotations

from collections.abc import Iterator

from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, Found, Tool, rule, whole
from core.errors.identity.keylines.lines import Page


def _terraform(page: Page) -> Iterator[Found]:
    """The headline of each box; its gutter was taken off."""
    for number in page.having(("Error: ",)):
        if page.text(number).lstrip("╷│ ").startswith("Error: "):
            yield whole(page, number, REPORT)


def _wrangler(page: Page) -> Iterator[Found]:
    """`A request … failed.` wraps what the service answered, on the next line."""
    for number in page.having(("[ERROR] A request to the Cloudflare API",)):
        said = page.next_filled(number + 1, 3)
        yield whole(page, number, DETAIL)
        if said is not None:
            yield whole(page, said, CAUSE + 1)


TOOLS = (
    Tool("wrangler", signs=("[ERROR] A request to the Cloudflare API",), find=_wrangler),
    Tool("terraform", signs=("╷", ".tf line ", "erraform"), find=_terraform),
    Tool("terraform", rules=(rule("Terraform has no command named", r"Terraform has no command named .*", REPORT),)),
    Tool(
        "ansible",
        rules=(
            rule("FAILED!", r"(?:fatal|failed): \[.*?\].*(?:FAILED|UNREACHABLE)!.*", REPORT),
            rule("UNREACHABLE!", r"fatal: \[.*?\].*", REPORT),
            rule("ERROR! ", r"ERROR! .*", REPORT),
            rule("[ERROR]: ", r"\[ERROR\]: .*", REPORT),
        ),
    ),
    Tool(
        "aws",
        rules=(
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
    ),
    Tool("gcloud", rules=(rule("ERROR: (", r"ERROR: \((?:gcloud|bq|gsutil)[\w.-]*\) .*", REPORT),)),
    Tool(
        "azure",
        rules=(
            rule(("Code: ", "Message: ", "(Resource", "(Auth"), r"\((?:[A-Z][a-z]+){2,}\) .*", REPORT),
            rule("ERROR: ", r"ERROR: (?:AADSTS|\([A-Z]|The |Please run).*", REPORT),
        ),
    ),
    Tool(
        "gh",
        rules=(
            rule("GraphQL: ", r"(?:[a-z][\w ]{2,40} failed: )?GraphQL: .*", REPORT),
            rule("Unknown JSON field: ", r"Unknown JSON field: .*", REPORT),
            rule("failed to parse jq expression", r"failed to parse jq expression.*", REPORT),
            rule(" already exists:", r"a pull request for branch .* already exists:", REPORT),
            rule("X Pull request ", r"X Pull request .*", REPORT),
            rule("gh auth login", r"To get started with GitHub CLI.*|.*\bgh auth login\b.*", DETAIL + 5),
            rule(
                ("no pull requests found", "no default remote repository", "none of the git remotes"),
                r"(?:no pull requests found|X?\s*No default remote repository|none of the git remotes).*",
                REPORT,
            ),
            rule("gh: ", r"gh: .*", REPORT),
            rule("HTTP ", r"HTTP \d{3}: .*", REPORT - 1),
        ),
    ),
    Tool(
        "curl",
        rules=(
            rule("curl: (", r"curl: \(\d+\) .*", REPORT),
            rule("curl: ", r"curl: (?:option|no URL|try).*", REPORT - 5),
        ),
    ),
    Tool("http", rules=(rule("HTTP/", r"(?:< )?HTTP/[\d.]+ [45]\d\d\b.*", DETAIL + 2),)),
    Tool(
        "glab",
        rules=(rule("gitlab", r"(?:ERROR: |X )?(?:GET|Post|Get|POST|PUT|DELETE) https?://\S+: \d{3} .*", REPORT),),
    ),
    Tool(
        "wget",
        rules=(
            rule("wget: ", r"wget: .*", REPORT),
            rule("ERROR ", r"ERROR [345]\d\d: .*", REPORT),
            rule("failed: ", r"Connecting to .*failed: (?P<key>.*)", DETAIL),
        ),
    ),
    Tool(
        "nginx",
        rules=(
            rule("nginx: ", r"nginx: \[(?:emerg|alert|crit|error)\] .*", REPORT + 1),
            rule("nginx: configuration file", r"nginx: configuration file .* test failed", WRAPPER),
            rule("[emerg]", r"\[(?:emerg|alert|crit)\] .*", REPORT),
        ),
    ),
    Tool("apache", rules=(rule("AH0", r"AH\d{5}: .*", REPORT),)),
    Tool(
        "systemd",
        rules=(
            rule("Job for ", r"Job for \S+ failed .*", REPORT),
            rule(
                "Failed to ",
                r"Failed to (?:start|stop|restart|enable|disable|get|connect to bus|execute|reload) .*",
                REPORT - 1,
            ),
            rule("Main process exited", r"\S+: Main process exited, .*", DETAIL),
        ),
    ),
)
