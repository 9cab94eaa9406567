#compdef casebook
_casebook_stored() {
  local -a found
  found=(${(f)"$(casebook completion --values $1 "$PREFIX" 2>/dev/null)"})
  found=("${(@)found/$'\t'/:}")
  _describe -V -t $1 $1 found
}
_casebook() {
  local at="" stored="" word; local -a found
  for word in ${words[2,CURRENT-1]}; do
    case "$at/$word" in
      @PATHS@) at="$at/$word" ;;
    esac
  done
  case "$at ${words[CURRENT-1]}" in
@VALUES@
    @FREE@) _files; return ;;
  esac
  case "$at" in
@PLACES@
  esac
  if [[ -n $stored && $PREFIX != -* ]]
  then
    _casebook_stored $stored
    return
  fi
  _describe -t words casebook found || _files
}
compdef _casebook casebook
