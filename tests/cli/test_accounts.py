"""People, groups, workspaces and configurations by command."""

from __future__ import annotations

from tests.cli.conftest import Commands


def line_of(output: str, name: str) -> list[str]:
    """The columns of the row that begins with ``name``."""
    return next(line for line in output.splitlines() if line.startswith(name)).split()


def test_it_creates_a_person_with_a_link(commands: Commands) -> None:
    output = commands.done("user", "create", "kim", "--name", "Kim Lee", "--group", "Editorial", "--group", "Live")

    assert "http://127.0.0.1:8000/password/" in output
    row = line_of(commands.done("user", "list"), "kim")
    assert row == ["kim", "Kim", "Lee", "en", "no", "no", "no", "Editorial,", "Live"]


def test_it_takes_a_password_from_standard_input(commands: Commands) -> None:
    output = commands.done("user", "create", "lou", "--admin", "--password-stdin", stdin="a long enough password\n")

    assert "/password/" not in output
    assert line_of(commands.done("user", "list"), "lou") == ["lou", "lou", "en", "yes", "no", "yes"]


def test_it_refuses_a_weak_password_in_one_sentence(commands: Commands) -> None:
    result = commands("user", "create", "mo", "--password-stdin", stdin="short\n")

    assert result.exit_code == 1
    assert result.stderr == "Error: The password needs at least 12 characters.\n"
    assert "mo " not in commands.done("user", "list")


def test_it_refuses_a_name_that_is_taken(commands: Commands) -> None:
    result = commands("user", "create", "anna")

    assert (result.exit_code, result.stderr) == (1, "Error: This name is already taken.\n")


def test_it_changes_what_is_named_only(commands: Commands) -> None:
    output = commands.done(
        "user",
        "set",
        "anna",
        "--disabled",
        "--add-group",
        "Approvers",
        "--add-group",
        "Live",
        "--remove-group",
        "Keywords",
    )

    assert output == "Changed anna.\n"
    row = line_of(commands.done("user", "list"), "anna")
    assert row[:6] == ["anna", "Anna", "Bergmann", "en", "no", "yes"]
    assert " ".join(row[7:]) == "Editorial, Whole site, Live, Approvers"


def test_it_gives_a_new_link(commands: Commands) -> None:
    assert "/password/" in commands.done("user", "set", "anna", "--password-link")


def test_it_says_who_is_missing(commands: Commands) -> None:
    result = commands("user", "set", "nobody", "--admin")

    assert (result.exit_code, result.stderr) == (1, "Error: There is no person with the name “nobody”.\n")


def test_it_sets_the_rights_of_a_group(commands: Commands) -> None:
    commands.done(
        *("group", "create", "Desk", "--grant", "tasks_use", "--modify", "pages", "--modify", "contacts"),
        *("--page-mount", "3", "--file-mount", "1:/press:ro", "--language", "de", "--live", "--include", "Editorial"),
    )
    assert line_of(commands.done("group", "list"), "Desk") == ["Desk", "yes", "tasks_use", "3", "pages,", "contacts"]

    commands.done("group", "set", "Desk", "--grant", "", "--no-live", "--modify", "pages")
    assert line_of(commands.done("group", "list"), "Desk") == ["Desk", "no", "–", "3", "pages"]


def test_it_refuses_rights_that_do_not_exist(commands: Commands) -> None:
    for option, value in (
        ("--grant", "everything"),
        ("--modify", "users"),
        ("--select", "site_settings"),
        ("--field", "pages.title"),
        ("--language", "xx"),
        ("--page-mount", "root"),
        ("--file-mount", "press"),
        ("--file-permission", "erase"),
    ):
        result = commands("group", "create", "Wrong", option, value)
        assert result.exit_code == 2, (option, result.output)
        assert "Traceback" not in result.output
    assert "Wrong" not in commands.done("group", "list")


def test_it_makes_a_workspace_with_members(commands: Commands) -> None:
    assert commands.done("workspace", "create", "Spring") == "Created workspace Spring (number 4).\n"

    commands.done("workspace", "add-member", "Spring", "--user", "anna", "--owner")
    commands.done("workspace", "add-member", "4", "--group", "Freelancers")
    assert "already" in commands.done("workspace", "add-member", "4", "--group", "Freelancers")

    assert line_of(commands.done("workspace", "list"), "4") == ["4", "Spring", "anna,", "Freelancers"]
    assert commands("workspace", "add-member", "Spring").exit_code == 2
    assert commands("workspace", "add-member", "Winter", "--user", "anna").exit_code == 1


def test_it_deletes_a_workspace_only_when_told_so_twice(commands: Commands) -> None:
    kept = commands("workspace", "delete", "Relaunch", stdin="n\n")
    assert kept.exit_code == 1
    assert "Relaunch" in commands.done("workspace", "list")
    output = commands.done("workspace", "delete", "Relaunch", "--yes")
    assert output == "Deleted workspace Relaunch: 0 drafts discarded, 3 people moved to their default workspace.\n"
    assert "Relaunch" not in commands.done("workspace", "list")
    assert commands("workspace", "delete", "Relaunch", "--yes").exit_code == 1


def test_it_sets_a_configuration(commands: Commands) -> None:
    commands.done(
        *("configuration", "create", "Strict", "--require-draft-workspace", "--second-approver"),
        *("--exclude-tool", "copy_page", "--allow-group", "Freelancers"),
    )
    row = line_of(commands.done("configuration", "list"), "Strict")
    assert row == ["Strict", "builtin", "yes", "yes", "yes", "all", "copy_page", "Freelancers"]

    commands.done(
        "configuration", "set", "Strict", "--model", "openai:small", "--no-second-approver", "--exclude-tool", ""
    )
    row = line_of(commands.done("configuration", "list"), "Strict")
    assert row == ["Strict", "openai:small", "yes", "yes", "no", "all", "–", "Freelancers"]


def test_it_refuses_a_configuration_that_is_wrong(commands: Commands) -> None:
    assert commands("configuration", "set", "Editorial", "--exclude-tool", "nope").exit_code == 2
    assert commands("configuration", "set", "Nothing", "--model", "x").exit_code == 1
    result = commands("configuration", "create", "Editorial")
    assert (result.exit_code, result.stderr) == (1, "Error: There is already a configuration with this name.\n")


def test_it_says_which_conversation_is_missing(commands: Commands) -> None:
    result = commands("conversation", "share", "7", "--to", "anna")

    assert (result.exit_code, result.stderr) == (1, "Error: There is no conversation no. 7.\n")


def test_it_keeps_the_last_administrator(commands: Commands) -> None:
    for option in ("--disabled", "--no-admin"):
        result = commands("user", "set", "admin", option)
        assert result.exit_code == 1
        assert result.stderr.startswith("Error: This is the last person who can administer the site.")
    assert line_of(commands.done("user", "list"), "admin")[4:6] == ["yes", "no"]


def test_it_refuses_groups_that_include_each_other(commands: Commands) -> None:
    commands.done("group", "set", "Live", "--include", "Keywords")
    result = commands("group", "set", "Keywords", "--include", "Live")
    sentence = "“Keywords” cannot include “Live”, because “Live” includes “Keywords”."
    assert (result.exit_code, result.stderr) == (1, f"Error: {sentence}\n")
    assert commands("group", "set", "Live", "--include", "Live").exit_code == 1
    assert commands("group", "create", "LIVE").exit_code == 1
