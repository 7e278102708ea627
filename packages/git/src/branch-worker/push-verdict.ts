import { redact } from '@agents/log'

export type PushVerdict =
  | { readonly kind: 'accepted' }
  /** The branch is not where the push expected it. */
  | { readonly kind: 'stale' }
  /** The server could not move the branch: another writer was faster, or for another reason. */
  | { readonly kind: 'blocked'; readonly reason: string }
  | { readonly kind: 'declined'; readonly reason: string }
  /** The server did not report on the branch, so it is not known whether it was written. */
  | { readonly kind: 'unknown' }

/** Parses the result of `git push --porcelain` for one branch: `flag TAB from:to TAB summary`. */
export function pushVerdict(output: string, ref: string): PushVerdict {
  for (const line of output.split('\n')) {
    const [flag, refs = '', summary = ''] = line.split('\t')
    if (flag === undefined || !refs.endsWith(`:${ref}`)) continue
    if (flag !== '!') return { kind: 'accepted' }
    if (summary.startsWith('[rejected]')) return { kind: 'stale' }
    const reason = redact(summary.slice(0, 500))
    return {
      kind: lockFailures.some((pattern) => pattern.test(summary)) ? 'blocked' : 'declined',
      reason,
    }
  }
  return { kind: 'unknown' }
}

/** The messages of the server and its hooks, in one line. */
export function serverMessage(stderr: string): string {
  return stderr
    .split(/[\r\n]/)
    .flatMap((line) => (line.startsWith('remote:') ? [line.slice('remote:'.length).trim()] : []))
    .filter((line) => line !== '')
    .join(' ')
    .replace(/\p{Cc}/gu, '')
    .slice(0, 500)
}

// Between the server's answer where the branch is and its attempt to move it.
const lockFailures = [
  /cannot lock ref/,
  /failed to (update|lock|write) ref/,
  /reference already exists/,
  /but expected/,
  /unable to resolve reference/,
  /fetch first/,
  /non-fast-forward/,
]
