# Runs the commands of a transcript and compares what they print with what it says; console.sh calls this.
#
#     $ tlaloc generate @reference --ids 1,2 --max-new 2
#     9 7
#     ! 2 prompt tokens, …
#     ? 0
#
# "$ " is a command for sh, "> " goes on with it. Then lines of stdout, lines of stderr behind "! " (none: stderr must
# be empty), and the exit status behind "? " (none: 0). "…" is any text within a line; alone on a line it is any lines.
# In a case file an empty line ends a command and other lines between commands are comments. With md=1 only the
# ```console blocks of a document count, empty lines belong to the output, and stderr is not told apart.
#
# Every comparison is made twice: with what was printed, and with every letter and digit of it replaced, which must
# differ. So an expectation that accepts anything is a failure too, unless it is a lone "…", which says so.

function lines(text, out,    n) { # how many; the last newline ends a line
  sub(/\n$/, "", text)
  if (text == "") return 0
  return split(text, out, "\n")
}

function read_file(path,    text, line) {
  text = ""
  while ((getline line < path) > 0) text = text line "\n"
  close(path)
  return text
}

function line_matches(pattern, text,    pieces, n, i, at) {
  n = split(pattern, pieces, "…")
  if (n < 2) return pattern == text
  if (substr(text, 1, length(pieces[1])) != pieces[1]) return 0
  text = substr(text, length(pieces[1]) + 1)
  for (i = 2; i < n; i++) {
    if (pieces[i] == "") continue
    at = index(text, pieces[i])
    if (!at) return 0
    text = substr(text, at + length(pieces[i]))
  }
  return length(text) >= length(pieces[n]) && substr(text, length(text) - length(pieces[n]) + 1) == pieces[n]
}

function rest_matches(i, j,    k) { # patterns from i on against printed lines from j on
  for (; i <= n_want; i++) {
    if (want[i] == "…") {
      for (k = j; k <= n_got + 1; k++)
        if (rest_matches(i + 1, k)) return 1
      return 0
    }
    if (j > n_got || !line_matches(want[i], got[j])) return 0
    j++
  }
  return j > n_got
}

function matches(wanted, printed) {
  n_want = lines(wanted, want)
  n_got = lines(printed, got)
  return rest_matches(1, 1)
}

function compare(what, wanted, printed,    damaged) {
  if (wanted == "…\n") return
  if (!matches(wanted, printed)) {
    gsub(/\n/, "\n    ", printed)
    gsub(/\n/, "\n    ", wanted)
    complain(what " is\n    " printed "\n  and should be\n    " wanted)
    return
  }
  damaged = printed
  if (!gsub(/[A-Za-z0-9]/, "~", damaged)) damaged = damaged "~\n"
  if (matches(wanted, damaged)) complain(what ": this expectation accepts anything")
}

function complain(text) {
  printf "%s:%d: $ %s\n  %s\n", name, command_line, command, text
  wrong = 1
}

function run(    status, out, err) {
  if (!command_line) return
  n_commands++
  wrong = 0
  print command > scratch "/command"
  close(scratch "/command")
  status = system("sh '" scratch "/command' >'" scratch "/out' 2>'" scratch "/err' </dev/null")
  if (status > 255) status = status / 256
  out = read_file(scratch "/out")
  err = read_file(scratch "/err")
  if (md) { out = out err; err = "" }
  compare("stdout", stdout, out)
  compare("stderr", stderr, err)
  if (status != exit_status) complain("the exit status is " status ", and should be " exit_status)
  n_wrong += wrong
  command_line = 0
}

function begin_command(text) {
  run()
  command = text
  command_line = FNR
  stdout = stderr = ""
  exit_status = 0
}

{ sub(/\r$/, "") }
md && /^```/ { run(); inside = !inside && $0 == "```console"; next }
md && !inside { next }
/^\$ / { begin_command(substr($0, 3)); continued = 1; next }
!command_line { if (md) { print name ":" FNR ": output without a command"; n_wrong++ } next }
continued && /^> / { command = command "\n" substr($0, 3); next }
{ continued = 0 }
!md && /^$/ { run(); next }
!md && /^! / { stderr = stderr substr($0, 3) "\n"; next }
!md && /^\? / { exit_status = substr($0, 3) + 0; next }
{ stdout = stdout $0 "\n" }

END {
  run()
  printf "%s: %d of %d commands differ\n", name, n_wrong, n_commands
  exit n_wrong > 0 || n_commands == 0
}
