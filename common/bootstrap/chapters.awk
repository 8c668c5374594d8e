# Prints a line per chapter of chapters/chapters.json: number, folder, title, libraries, exercise, separated by tabs.
# It is for a machine that has no Python yet. With Python, common/book/manifest.py reads the manifest.
#
# It reads JSON value by value. A chapter is an object at depth 3. The exit status is 1, with a message, if the file is
# malformed.

{ text = text $0 "\n" }

function broken(what,    before) {
  if (failed) exit 1
  failed = 1
  before = substr(text, 1, at)
  printf "chapters/chapters.json, line %d: %s.\n", gsub(/\n/, "", before) + 1, what >"/dev/stderr"
  exit 1
}

function skip_blanks() { while (substr(text, at, 1) ~ /^[ \t\n\r]$/) at++ }

# Reads the string that begins at the current position.
function string_here(    value, character) {
  value = ""
  if (substr(text, at, 1) != "\"") broken("a string in quotes is missing")
  for (at++; (character = substr(text, at, 1)) != "\""; at++) {
    if (character == "" || character == "\n") { at--; broken("a string does not end: the closing quote is missing") }
    if (character == "\\") character = substr(text, ++at, 1)
    value = value character
  }
  at++
  return value
}

# Reads the members of the object or list that begins at the current position.
function members_here(depth, key, closing,    name) {
  at++
  skip_blanks()
  if (substr(text, at, 1) == closing) { at++; return }
  while (1) {
    skip_blanks()
    if (closing == "}") {
      name = string_here()
      skip_blanks()
      if (substr(text, at, 1) != ":") broken("a colon is missing after \"" name "\"")
      at++
    } else name = key
    value_here(depth, name)
    skip_blanks()
    if (substr(text, at, 1) == closing) { at++; return }
    if (substr(text, at, 1) != ",") broken("a comma or the closing " closing " is missing")
    at++
  }
}

# Reads the value that begins at the current position. `key` is its name, and it is inside `depth` objects and lists.
function value_here(depth, key,    character) {
  skip_blanks()
  character = substr(text, at, 1)
  if (character == "{" || character == "[") {
    if (depth == 2) split("", fact)
    members_here(depth + 1, key, character == "{" ? "}" : "]")
    if (depth == 2 && "number" in fact)
      printf "%s\t%s\t%s\t%s\t%s\n", fact["number"], fact["folder"], fact["title"], fact["libraries"], fact["exercise"]
  } else if (character == "\"") {
    character = string_here()
    if (depth == 3) fact[key] = character
    else if (depth == 4 && key == "libraries") fact[key] = fact[key] " " character
  } else if (match(substr(text, at, 40), /^(true|false|null|-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?)/)) {
    if (depth == 3) fact[key] = substr(text, at, RLENGTH)
    at += RLENGTH
  } else broken("a value is missing")
}

END {
  if (failed) exit 1
  at = 1
  value_here(0, "")
  skip_blanks()
  if (at <= length(text)) broken("there is text after the last brace")
}
