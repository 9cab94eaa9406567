function __casebook_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    switch "$at/$word"
      case @PATHS@
        set at "$at/$word"
    end
  end
  test "$at" = "$argv[1]"
end
@PLACES@
