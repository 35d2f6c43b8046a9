"""Signing in, the first administrator, a new password."""

from __future__ import annotations

from wtforms import PasswordField, StringField

from app.core.i18n import text
from app.web.forms.base import Form, Required, lazy


class SignInForm(Form):
    """Name and password."""

    username = StringField(lazy(text("Name")), [Required(text("Enter your name."))])
    password = PasswordField(lazy(text("Password")), [Required(text("Enter your password."))])


class PasswordForm(Form):
    """A new password, twice."""

    password = PasswordField(lazy(text("New password")), [Required(text("Enter a new password."))])
    repeated = PasswordField(lazy(text("New password again")), [Required(text("Enter the new password again."))])


class SetupForm(PasswordForm):
    """The first administrator."""

    username = StringField(lazy(text("Name to sign in with")), [Required(text("Enter a name to sign in with."))])
    name = StringField(lazy(text("Your full name")))
