"""What the environment tells the host. Whatever is missing or contradicts keeps it from starting.

An app that lost its sign-in because a variable was misspelt would look healthy, so nothing here has a lenient default.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit


class Refusal(Exception):
    """Why the host can't start, in a sentence."""


@dataclass(frozen=True)
class Issuer:
    """Where tokens come from, and how they say who somebody is."""

    audience: str
    browser_authority: str
    issuer: str | None
    jwks_url: str | None
    authority: str | None
    scopes_claim: str
    roles_claim: str


@dataclass(frozen=True)
class Settings:
    database_url: str
    origins: list[str]
    issuer: Issuer | None  # none: a public app
    visitor_permissions: frozenset[str]
    client_id: str | None
    redirect_uri: str | None


def words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def required(environ, name: str) -> str:
    value = environ.get(name, "").strip()
    if not value:
        raise Refusal(f"{name} is not set")
    return value


def database(environ) -> str:
    """The database of the modules' records and of the account routes alike.

    If they were two, export and deletion would find nothing and report success.
    """
    url = required(environ, "DATABASE_URL")
    named = urlsplit(url).path.lstrip("/")
    for name in ("MOZAIKS_APP_DATABASE_NAME", "MOZAIKS_APP_DATA_DATABASE_NAME"):
        if required(environ, name) != named:
            raise Refusal(f"{name} is {environ[name]}, and DATABASE_URL leads to {named or 'no database'}: they must be the same")
    return url


def public_posture(environ) -> None:
    """A public app's posture is said outright: that a variable is missing never opens an app."""
    for name, wanted in (("AUTH_ENABLED", "false"), ("AUTH_PROVIDER", "none"), ("AUTH_ANON_ACCESS", "public")):
        if environ.get(name, "").strip().lower() != wanted:
            raise Refusal(f"the app is public, and {name} is not {wanted}")


def issuer(environ) -> Issuer:
    if environ.get("AUTH_ENABLED", "true").strip().lower() != "true":
        raise Refusal("the app needs sign-in, and AUTH_ENABLED is not true")
    if environ.get("AUTH_PROVIDER", "jwt").strip().lower() not in ("jwt", "oidc"):
        raise Refusal("the app needs sign-in, and AUTH_PROVIDER is neither jwt nor oidc")
    own, keys, authority = (
        environ.get(name, "").strip() or None for name in ("AUTH_ISSUER", "AUTH_JWKS_URL", "MOZAIKS_OIDC_AUTHORITY")
    )
    if authority is None and (own is None or keys is None):
        raise Refusal("the app needs sign-in: set MOZAIKS_OIDC_AUTHORITY, or both AUTH_ISSUER and AUTH_JWKS_URL")
    return Issuer(
        audience=required(environ, "AUTH_AUDIENCE"),
        browser_authority=required(environ, "VITE_OIDC_AUTHORITY"),
        issuer=own,
        jwks_url=keys,
        authority=authority and authority.rstrip("/"),
        scopes_claim=environ.get("AUTH_SCOPES_CLAIM", "").strip() or "scp",
        roles_claim=environ.get("AUTH_ROLES_CLAIM", "").strip() or "roles",
    )


def read(environ, is_public: bool) -> Settings:
    if is_public:
        public_posture(environ)
    return Settings(
        database_url=database(environ),
        origins=words(environ.get("CORS_ORIGINS", "")),
        issuer=None if is_public else issuer(environ),
        visitor_permissions=frozenset(words(environ.get("AUTH_ANON_SCOPES", ""))) if is_public else frozenset(),
        client_id=environ.get("VITE_OIDC_CLIENT_ID") or None,
        redirect_uri=environ.get("VITE_OIDC_REDIRECT_URI") or None,
    )
