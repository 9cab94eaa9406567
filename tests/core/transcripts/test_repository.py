"""What repository a remote URL names, what folder a worktree's path belongs to, and by what names they are shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.transcripts.repository import Origin, accepted_names, is_home, origin_of, repository_of, short_names

ONE = "github.com/acme/shop"


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/shop.git",
        "https://github.com/acme/shop",
        "https://github.com/acme/shop/",
        "https://github.com/acme/shop.git/",
        "HTTPS://GitHub.COM/acme/shop",
        "https://github.com:443/acme/shop.git",
        "https://mina@github.com/acme/shop.git",
        "https://x-access-token:ghs_16C7e42F292c6912E7710c838347Ae178B4a@github.com/acme/shop.git",
        "https://mina:p@ss:w@github.com/acme/shop.git",
        "https://github.com/acme/shop.git?token=abc#readme",
        "http://github.com//acme//shop.git",
        "git://github.com/acme/shop.git",
        "ssh://git@github.com/acme/shop.git",
        "ssh://git@github.com:22/acme/shop",
        "git+ssh://git@github.com/acme/shop.git",
        "ssh://git@ssh.github.com:443/acme/shop.git",
        "git@github.com:acme/shop.git",
        "git@GitHub.com:/acme/shop.git",
        "github.com:acme/shop",
        "org-123@github.com:acme/shop.git",
        "  git@github.com:acme/shop.git\n",
        "https://github.com./acme/shop/.git",
    ],
)
def test_one_repository_however_its_remote_is_written(url: str) -> None:
    assert repository_of(url) == ONE


@pytest.mark.parametrize(
    ("url", "repository"),
    [
        ("git@gitlab.example.com:group/sub/team/shop.git", "gitlab.example.com/group/sub/team/shop"),
        ("https://github.com/Acme/Shop", "github.com/Acme/Shop"),
        ("ssh://[2001:db8::1]:2222/acme/shop.git", "[2001:db8::1]/acme/shop"),
        ("git@git.internal:shop.git", "git.internal/shop"),
        ("https://git.example.com/scm/~mina/shop.git", "git.example.com/scm/~mina/shop"),
        ("https://예제.한국/팀/상점.git", "예제.한국/팀/상점"),
    ],
)
def test_other_hosts_and_deeper_paths_are_kept(url: str, repository: str) -> None:
    assert repository_of(url) == repository


@pytest.mark.parametrize(
    "url",
    [
        *("", " ", "shop", "/srv/git/shop.git", "./shop", "../shop.git", "~/shop", "file:///srv/git/shop.git"),
        *("C:\\git\\shop", "C:/git/shop", "c:shop", "\\\\server\\share\\shop", "//server/share/shop", "https://"),
        *("https://github.com", "https://github.com/", "https:///acme/shop", "https://github.com/.git", "git@:a/b"),
        *("https://github.com/acme/../other", "git@github.com:../shop", "javascript://github.com/acme/shop"),
        *("ext::sh -c touch% /tmp/x", "-oProxyCommand=x:acme/shop", "https://-host/acme/shop"),
        *("https://github.com/acme/sh\u202eop", "https://github.com/acme/shop\x1b[31m", "https://github.com/a b/c"),
        *(
            "https://github.com/..git",
            "git@github.com:shop/...git",
            "https://github.com/acme/\ud800",
            "https://github.com/" + "a" * 2_000,
        ),
    ],
)
def test_what_names_no_repository_elsewhere_gives_none(url: str) -> None:
    assert repository_of(url) == ""


NAME = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}[A-Za-z0-9_]", fullmatch=True).filter(
    lambda name: not name.endswith(".git") and ".." not in name
)
HOST = st.from_regex(r"[a-z][a-z0-9]{1,10}(\.[a-z]{2,5}){1,2}", fullmatch=True)
SECRET = st.from_regex(r"[A-Za-z0-9]{12,30}", fullmatch=True)


@given(HOST, st.lists(NAME, min_size=1, max_size=4), NAME, SECRET, st.integers(1, 65535))
def test_every_form_gives_the_same_and_no_secret(
    host: str, parts: list[str], user: str, secret: str, port: int
) -> None:
    path = "/".join(parts)
    wanted = f"{host}/{path}"
    if secret in wanted or user in wanted:
        return
    forms = [
        f"https://{user}:{secret}@{host.upper()}:{port}/{path}.git/",
        f"https://{secret}@{host}/{path}",
        f"ssh://{user}@{host}:{port}/{path}.git",
        f"{user}@{host}:{path}.git",
        f"{host}:{path}",
        f"https://{wanted}?private_token={secret}",
    ]
    assert {repository_of(form) for form in forms} == {wanted}


@given(st.text(max_size=200) | st.from_regex(r"(https?|ssh|git|x)://[^\n]{0,60}|[^\n]{0,20}@?[^\n]{0,20}:[^\n]{0,40}"))
def test_whatever_it_is_given_it_gives_a_plain_name_and_the_same_again(url: str) -> None:
    found = repository_of(url)
    if found:
        host, *parts = found.split("/")
        assert host and parts and all(part not in ("", ".", "..") for part in parts)
        assert "@" not in host and "\\" not in found and found.isprintable() and " " not in found
        assert repository_of(f"https://{found}") == found


@pytest.mark.parametrize(
    ("folder", "origin"),
    [
        ("/home/mina/work/shop", Origin("/home/mina/work/shop", "shop")),
        ("/home/mina/work/shop/", Origin("/home/mina/work/shop", "shop")),
        ("/home/mina/work/shop/.worktrees/2", Origin("/home/mina/work/shop", "shop")),
        ("/home/mina/work/shop/.worktrees/mina/fix-1/src", Origin("/home/mina/work/shop", "shop")),
        ("/home/mina/work/shop/.claude/worktrees/brave-otter", Origin("/home/mina/work/shop", "shop")),
        ("/home/mina/work/shop/worktrees/fix", Origin("/home/mina/work/shop", "shop")),
        ("/home/mina/work/shop.worktrees/fix", Origin("/home/mina/work/shop", "shop")),
        ("/home/mina/work/shop-worktrees/fix/src", Origin("/home/mina/work/shop", "shop")),
        ("/home/mina/work/shop/.conductor/lisbon", Origin("/home/mina/work/shop", "shop")),
        ("/home/mina/worktrees/shop/fix", Origin("", "shop")),
        ("/home/mina/.cursor/worktrees/shop/x1", Origin("", "shop")),
        ("/home/mina/.codex/worktrees/a1b2/shop", Origin("", "shop")),
        ("/home/mina/.codex/worktrees/a1b2/shop/src", Origin("", "shop")),
        ("/home/mina/.claude-worktrees/shop/brave-otter", Origin("", "shop")),
        ("/Users/mina/conductor/workspaces/shop/lisbon", Origin("", "shop")),
        ("C:\\Users\\mina\\shop\\.worktrees\\fix", Origin("C:/Users/mina/shop", "shop")),
        ("/home/mina/work/my-worktree/src", Origin("/home/mina/work/my-worktree/src", "src")),
        ("/home/mina/work/worktrees", Origin("/home/mina/work/worktrees", "worktrees")),
        ("/home/mina/.claude/worktrees/x", Origin("/home/mina/.claude/worktrees/x", "x")),
        ("/", Origin("/", "")),
    ],
)
def test_a_worktree_belongs_to_the_folder_of_its_repository(folder: str, origin: Origin) -> None:
    assert origin_of(folder) == origin


@given(st.text(max_size=120) | st.lists(st.sampled_from(["", ".", "..", "worktrees", ".worktrees", "a"])).map("/".join))
def test_any_text_has_an_origin_that_is_its_own(folder: str) -> None:
    origin = origin_of(folder)
    assert not origin.folder or origin.folder == "/" or not origin.folder.endswith("/")


@pytest.mark.parametrize(
    "folder", ["/", "/home", "/home/mina", "/Users/mina/", "/root", "C:\\Users\\mina", "/var/home/m"]
)
def test_a_home_folder_names_no_repository(folder: str) -> None:
    assert is_home(folder)
    assert not is_home(f"{folder.rstrip('/')}/one/two/three")


def test_a_repository_is_shown_by_the_shortest_name_that_is_its_own() -> None:
    same = ["github.com/acme/shop", "github.com/other/shop", "gitlab.com/acme/tool", "git.lab/x/cli", "ssh.lab/x/cli"]
    assert short_names([*same, "notes", "/home/mina/lone"]) == {
        "github.com/acme/shop": "acme/shop",
        "github.com/other/shop": "other/shop",
        "gitlab.com/acme/tool": "tool",
        "git.lab/x/cli": "git.lab/x/cli",
        "ssh.lab/x/cli": "ssh.lab/x/cli",
        "notes": "notes",
        "/home/mina/lone": "lone",
    }
    assert short_names(["shop", "github.com/acme/shop"])["github.com/acme/shop"] == "acme/shop"


@given(st.sets(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), max_size=12))
def test_a_shown_name_means_its_repository_alone(every: set[str]) -> None:
    shown, accepted = short_names(every), accepted_names(every)
    assert set(shown) == every and len(set(shown.values())) == len(every)
    for one, name in shown.items():
        assert accepted[name] == (one,)
        assert accepted[one] == (one,)


def test_an_end_that_several_have_means_all_of_them() -> None:
    assert accepted_names([ONE, "github.com/other/shop"])["shop"] == (ONE, "github.com/other/shop")
