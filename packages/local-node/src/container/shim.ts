/** Named pipe that is the standard input of a container, and one that ends it. */
export const inputName = 'input'
export const inputEndName = 'input-end'
/** File that asks the shim to create them. */
export const wantsInputName = 'wants-input'

/**
 * Runs a container's command and outlives the node, like the shim of a container runtime: `sh -c shim sh <folder>
 * <command…>`.
 *
 * - `claim` is created at most once in the folder; a shim that fails to create it must not run the command. It contains
 *   the shim's pid and its line in /proc, which distinguish this process from a later one with the same pid.
 * - Output goes through the named pipe `out`. The shim keeps it open, so that a container neither fails nor loses
 *   output while no node reads; it blocks. Other users may write to it, because a command that runs as another user
 *   opens it again as /dev/stdout.
 * - `exit` contains the exit code, 128 and more for signals.
 * - Descriptor 3 is a socket to the node that started the shim. The command starts when the node reads the pipe, or has
 *   ended. At the end the shim reports that and waits for `ok`, because the helper of the node may outlive the node for
 *   a moment. If the node has ended and no other has adopted the container, the rest of the pipe is written to `rest`
 *   until there is no writer left; background writers get three seconds.
 * - Finally the shim kills its whole process group, and itself with it, so that nothing of a container outlives its
 *   command.
 *
 * - If the file `wants-input` exists, the named pipe `input` is the standard input of the command. It is kept open by a
 *   process that ends when someone has opened the named pipe `input-end`, so that it does not end with one client.
 *
 * Traps with a command are reset in children, ignored signals are not. A SIGTERM that arrives before the child exists
 * is passed on to it later.
 */
export const shimScript = `
_agents_dir=$1
shift
_agents_stat=
{ read -r _agents_stat </proc/$$/stat; } 2>/dev/null
set -C
echo "$$ $_agents_stat" >"$_agents_dir/claim" || exit 125
set +C
command -p mkfifo -m 622 "$_agents_dir/out" || exit 125
exec 4<>"$_agents_dir/out"
_agents_told=
trap '_agents_told=1' TERM
trap : INT HUP QUIT USR1 USR2 PIPE
echo ready >&3
_agents_pid=
read -r _agents_pid <&3
if [ -e "$_agents_dir/${wantsInputName}" ]; then
  command -p mkfifo -m 600 "$_agents_dir/${inputName}" "$_agents_dir/${inputEndName}" || exit 125
  exec 5<>"$_agents_dir/${inputName}" 6<"$_agents_dir/${inputName}" 7>"$_agents_dir/${inputName}"
  { read -r _agents_end <"$_agents_dir/${inputEndName}"; } 3>&- 4>&- 5>&- 6>&- 2>/dev/null &
  exec 5>&- 7>&- <&6 6>&-
fi
( \${_agents_told:+kill -TERM 0}; exec "$@" ) >&4 2>&1 3>&- 4>&-
echo "$?" >"$_agents_dir/exit"
if echo exit >&3 && read -r _agents_word <&3; then :
elif { read -r _agents_pid <"$_agents_dir/adopted"; } && kill -0 "$_agents_pid"; then :
else
  exec 5<"$_agents_dir/out" 4>&-
  command -p cat <&5 >"$_agents_dir/rest" &
  _agents_cat=$!
  { command -p sleep 3; kill "$_agents_cat"; } &
  wait "$_agents_cat"
fi 2>/dev/null
kill -KILL 0
`
