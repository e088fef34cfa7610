"""
Filters requests that schemathesis generates: bodies that fit the schema but that the server refuses, and headers that
uWebSockets.js cannot parse. After a header name with a character other than a letter, a digit or a hyphen, its parser
waits until the connection times out.
"""

import datetime
import itertools
import os
import re
from ipaddress import IPv4Address

import schemathesis

PLAIN_NAMES = os.environ.get("PRIORART_TEST_PLAIN_HEADER_NAMES") == "1"
ADDRESSES = itertools.count(int(IPv4Address("10.0.0.0")))
PLAIN_NAME = re.compile(r"[A-Za-z0-9-]+")

# A publication of the fixtures.
STORED = "US11217824B2"
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
DATES = ("filing", "publication", "grant", "priority")


def acceptable(body):
    if not isinstance(body, dict):
        return True
    pairs = [(body.get(f"{name}_date_from"), body.get(f"{name}_date_to")) for name in DATES]
    given = body.get("date_range")
    if isinstance(given, dict):
        pairs.append((given.get("from"), given.get("to")))
    # `from` after `to`, and names and words without a letter or digit.
    for start, end in pairs:
        if isinstance(start, str) and isinstance(end, str) and start > end:
            return False
    for field in ("applicant", "inventor"):
        name = body.get(field)
        if isinstance(name, str) and not any(c.isalnum() for c in name):
            return False
    for field in ("must_terms", "must_not_terms"):
        terms = body.get(field)
        if isinstance(terms, list) and not all(isinstance(term, str) and any(c.isalnum() for c in term) for term in terms):
            return False
    # Without a family there is no member to prefer.
    if isinstance(body.get("prefer_countries"), list) and body.get("collapse") != "family":
        return False
    return True


def with_stored_numbers(body):
    """A body whose examples of publications are in the index. Others are refused."""
    if not isinstance(body, dict):
        return body
    changed = {field: [STORED] for field in ("like", "unlike") if isinstance(body.get(field), list)}
    as_of = body.get("as_of")
    if isinstance(as_of, str) and not DAY.fullmatch(as_of.strip()):
        changed["as_of"] = STORED
    return {**body, **changed} if changed else body


def is_negative(case):
    return case.meta is not None and case.meta.generation.mode.is_negative


def is_parsed(headers):
    return not PLAIN_NAMES or all(PLAIN_NAME.fullmatch(name) for name in headers or ())


def acceptable_to_admin(case):
    body = case.body if isinstance(case.body, dict) else {}
    query = case.query or {}
    first, last = query.get("from"), query.get("to", datetime.datetime.now(datetime.timezone.utc).date().isoformat())
    if isinstance(first, str) and isinstance(last, str) and first > last:
        return False
    # A cursor is the `next` of a page. Only one plan has a quota, from the request or from the account.
    return "cursor" not in query and "monthly_quota" not in body


@schemathesis.hook
def filter_case(context, case):
    if not is_parsed(case.headers):
        return False
    if is_negative(case):
        return True
    if case.path.startswith("/admin/"):
        return acceptable_to_admin(case)
    return acceptable(case.body)


@schemathesis.hook
def before_call(context, case, kwargs):
    if not case.path.startswith("/admin/"):
        if not is_negative(case):
            case.body = with_stored_numbers(case.body)
        return
    # Each from a separate address, because wrong secrets delay later requests of their address.
    case.headers["X-Forwarded-For"] = str(IPv4Address(next(ADDRESSES)))
