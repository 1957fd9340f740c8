import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { markerVariable, ownMarkerPrefix } from './marker.js';

/**
 * Children must not outlive a parent that is killed with SIGKILL. Node cannot set PDEATHSIG, so one `sh` per parent
 * process (under 1 MB, however many children) reads a pipe that ends with the parent, and then kills the groups it was
 * told of and everything that carries the parent's marker. It runs in a session of its own, out of reach of signals to
 * the parent's group. Where there is no `sh`, `sweepOrphans` at the next start remains.
 */
const script = `
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
trap '' TERM INT HUP
end() {
  for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null; done
  for file in /proc/[0-9]*/environ; do
    if grep -qsF "$marker" "$file"; then
      pid=\${file#/proc/}
      kill -s "$1" "\${pid%/environ}" 2>/dev/null
    fi
  done
}
marker=$0
if [ "$groups" != ' ' ]; then end TERM; sleep 1; end KILL; end KILL; fi
`;

const groups = new Set<number>();
let guard: ChildProcess | undefined;

function start(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script, `${markerVariable}=${ownMarkerPrefix}`], {
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  const gone = (): void => {
    if (guard === child) guard = undefined;
  };
  child.once('error', gone).once('exit', gone);
  child.stdin?.on('error', gone);
  for (const group of groups) child.stdin?.write(`+ ${group}\n`);
  return child;
}

/** From now on the group dies with this process. */
export function guardGroup(group: number): void {
  groups.add(group);
  if (guard === undefined) guard = start();
  else guard.stdin?.write(`+ ${group}\n`);
}

/** The group is gone; its number may be given to others. */
export function releaseGroup(group: number): void {
  groups.delete(group);
  guard?.stdin?.write(`- ${group}\n`);
}
