# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_lissom_blog_global_optspecs
    string join \n h/help V/version
end

function __fish_lissom_blog_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_lissom_blog_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_lissom_blog_using_subcommand
    set -l cmd (__fish_lissom_blog_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c lissom-blog -n "__fish_lissom_blog_needs_command" -s h -l help -d 'Print help'
complete -c lissom-blog -n "__fish_lissom_blog_needs_command" -s V -l version -d 'Print version'
complete -c lissom-blog -n "__fish_lissom_blog_needs_command" -f -a "serve" -d 'Render the articles of a folder and serve them until interrupted'
complete -c lissom-blog -n "__fish_lissom_blog_using_subcommand serve" -l listen -d 'Address and port to listen on; port 0 lets the system choose' -r
complete -c lissom-blog -n "__fish_lissom_blog_using_subcommand serve" -l title -d 'Name of the site, shown on every page' -r
complete -c lissom-blog -n "__fish_lissom_blog_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
