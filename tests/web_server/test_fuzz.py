"""Nothing that is sent makes the server fail, and every refusal has its form."""

import logging

import pytest

from tests.web_server.fuzzing import campaign


def test_requests_that_make_no_sense_are_refused_and_break_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        campaign(500, 1)
    assert caplog.text == ""
