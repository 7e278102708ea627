/**
 * Runs a container's command and outlives the node, as the shim of a container runtime does: `sh -c shim sh <folder> <command…>`.
 *
 * - `claim` is made at most once in the folder: who fails to make it must not run the command. It holds the shim's pid and what
 *   the kernel says about it, which tells this process from a later one with the same number.
 * - Output goes through the named pipe `out`. The shim holds it open, so a container neither fails nor loses output while no node
 *   reads; it waits.
 * - `exit` holds the exit code, 128 and more for signals.
 * - Descriptor 3 is a socket to the node that started it. The command begins when the node reads the pipe, or is gone. At the end
 *   the shim says so and waits for `ok`: the helper of the node may outlive it for a moment, and take the word for nobody. If the
 *   node is gone and no other has adopted the container, what is left in the pipe goes to `rest`, until nobody can write any more;
 *   who still could, in the background, gets three seconds.
 * - At last it ends its whole process group, and itself with it: nothing of a container outlives its command.
 *
 * Traps with a command are reset in children, ignored signals would not be. A SIGTERM that comes before the child is there is
 * passed on to it, so that nobody waits for the end of what never heard of it.
 */
export const shimScript = `
_agents_dir=$1
shift
_agents_stat=
{ read -r _agents_stat </proc/$$/stat; } 2>/dev/null
set -C
echo "$$ $_agents_stat" >"$_agents_dir/claim" || exit 125
set +C
command -p mkfifo -m 600 "$_agents_dir/out" || exit 125
exec 4<>"$_agents_dir/out"
_agents_told=
trap '_agents_told=1' TERM
trap : INT HUP QUIT USR1 USR2 PIPE
echo ready >&3
_agents_pid=
read -r _agents_pid <&3
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
