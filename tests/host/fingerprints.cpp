// Tests SHA-256 with the examples of FIPS 180-4 and with lengths near the padding.

#include <string>

#include "host/sha256.hpp"
#include "support/catch.hpp"

TEST_CASE("the fingerprint of a text is its SHA-256") {
  CHECK(host::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(host::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(host::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(host::sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("lengths at which the padding takes another block have the right fingerprint, too") {
  // Computed with Python's hashlib.
  CHECK(host::sha256(std::string(55, '\xe4')) == "591afd84392563295a5ce3c0b9ec611c51a4d33bf9dbfc25a2cd31024cd0e473");
  CHECK(host::sha256(std::string(56, '\xe4')) == "9abb695f44452a73ac6d50325ce935c38048c8986cd7eeffd087060e7998439b");
  CHECK(host::sha256(std::string(63, '\xe4')) == "d5ed8edc7cd98427ee401a62755fe5792095a25b745d5ee1da3dcf1b32baaa34");
  CHECK(host::sha256(std::string(64, '\xe4')) == "830e2a4adbfaa7ac385815501772be3609595f75f0872883440f404690148f5f");
  CHECK(host::sha256(std::string(65, '\xe4')) == "6569acc1caeb371bc16d890c761e3cd946154c9aa014a0ea46b64a58de74d6dd");
}
