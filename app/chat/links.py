"""Addresses of pages the chat points to: the stable contract of design section 5."""

from __future__ import annotations


def edit_url(table: str, uid: int) -> str:
    """The record itself."""
    return f"/records/{table}/{uid}"


def history_url(table: str, uid: int, workspace_id: int) -> str:
    """Its history as seen in the workspace the row is stored in."""
    return f"/records/{table}/{uid}/history?workspace={workspace_id}"


def workspace_url(workspace_id: int) -> str:
    """The changes of a workspace."""
    return f"/workspaces/{workspace_id}"


def conversation_url(conversation_id: int) -> str:
    """A conversation."""
    return f"/conversations/{conversation_id}"


def card_url(run_uuid: str, number: int) -> str:
    """A card of a run; the first one needs no number."""
    return f"/runs/{run_uuid}/card" if number == 1 else f"/runs/{run_uuid}/card?card={number}"


def card_dom_id(run_uuid: str, number: int) -> str:
    """The id of a card's entry in the history."""
    return f"card-{run_uuid}" if number == 1 else f"card-{run_uuid}-{number}"
