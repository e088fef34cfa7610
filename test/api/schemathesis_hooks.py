"""
What a JSON schema cannot say of requests: bodies that fit the schema and are refused all the same. And what
uWebSockets.js cannot parse: its parser waits for more after a header name with another character than a letter, a digit
or a hyphen, until the connection times out.
"""

import itertools
import os
import re
from ipaddress import IPv4Address

import schemathesis

PLAIN_NAMES = os.environ.get("PRIORART_TEST_PLAIN_HEADER_NAMES") == "1"
ADDRESSES = itertools.count(int(IPv4Address("10.0.0.0")))
PLAIN_NAME = re.compile(r"[A-Za-z0-9-]+")

DATES = ("filing", "publication", "grant", "priority")


def acceptable(body):
    if not isinstance(body, dict):
        return True
    pairs = [(body.get(f"{name}_date_from"), body.get(f"{name}_date_to")) for name in DATES]
    given = body.get("date_range")
    if isinstance(given, dict):
        pairs.append((given.get("from"), given.get("to")))
    # `from` after `to`, and names without a letter or digit.
    for start, end in pairs:
        if isinstance(start, str) and isinstance(end, str) and start > end:
            return False
    for field in ("applicant", "inventor"):
        name = body.get(field)
        if isinstance(name, str) and not any(c.isalnum() for c in name):
            return False
    return True


def is_parsed(headers):
    return not PLAIN_NAMES or all(PLAIN_NAME.fullmatch(name) for name in headers or ())


def acceptable_to_admin(case):
    body = case.body if isinstance(case.body, dict) else {}
    # A cursor is the `next` of a page. A quota goes with one plan, whether it is in the request or in the account.
    return "cursor" not in (case.query or {}) and "monthly_quota" not in body


@schemathesis.hook
def filter_case(context, case):
    if not is_parsed(case.headers):
        return False
    meta = case.meta
    if meta is not None and meta.generation.mode.is_negative:
        return True
    if case.path.startswith("/admin/"):
        return acceptable_to_admin(case)
    return acceptable(case.body)


@schemathesis.hook
def before_call(context, case, kwargs):
    if not case.path.startswith("/admin/"):
        return
    # Each from an address of its own: wrong secrets slow down those that come after them from one address.
    case.headers["X-Forwarded-For"] = str(IPv4Address(next(ADDRESSES)))
