# Prints of chapters/chapters.json a line per chapter: number, folder, title, libraries, with tabs between. For a machine on
# which there is no Python yet; whoever has one reads the manifest with common/book/manifest.py.
#
# A reader of JSON in small: strings, and how deep in objects and lists we are. A chapter is an object at depth 3.

{ text = text $0 "\n" }

function string_at(position,    value, character) {
  value = ""
  for (position++; (character = substr(text, position, 1)) != "\""; position++) {
    if (character == "") { print "chapters/chapters.json: a string does not end" >"/dev/stderr"; exit 1 }
    if (character == "\\") character = substr(text, ++position, 1)
    value = value character
  }
  end = position
  return value
}

END {
  depth = 0
  key = ""
  for (i = 1; i <= length(text); i++) {
    character = substr(text, i, 1)
    if (character == "\"") {
      value = string_at(i)
      i = end
      if (substr(text, i + 1) ~ /^[ \n]*:/ && depth == 3) key = value
      else if (depth == 3) fact[key] = value
      else if (depth == 4 && key == "libraries") fact[key] = fact[key] " " value
    } else if (character ~ /[0-9]/ && depth == 3) {
      match(substr(text, i), /^[0-9]+/)
      fact[key] = substr(text, i, RLENGTH)
      i += RLENGTH - 1
    } else if (character ~ /[[{]/) {
      if (++depth == 3) split("", fact)
    } else if (character ~ /[]}]/) {
      if (depth-- == 3 && "number" in fact) printf "%s\t%s\t%s\t%s\n", fact["number"], fact["folder"], fact["title"], fact["libraries"]
    }
  }
}
