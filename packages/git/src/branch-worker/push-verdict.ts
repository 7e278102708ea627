import { redact } from '@agents/log'

export type PushVerdict =
  | { readonly kind: 'accepted' }
  /** The branch is not where the push expected it. */
  | { readonly kind: 'stale' }
  /** The server could not move the branch: somebody else was faster, or there is another reason. */
  | { readonly kind: 'blocked'; readonly reason: string }
  | { readonly kind: 'declined'; readonly reason: string }
  /** The server said nothing about the branch: whether it was written is not known. */
  | { readonly kind: 'unknown' }

/** Reads what `git push --porcelain` says about one branch: `flag TAB from:to TAB summary`. */
export const pushVerdict = (output: string, ref: string): PushVerdict => {
  for (const line of output.split('\n')) {
    const [flag, refs = '', summary = ''] = line.split('\t')
    if (flag === undefined || !refs.endsWith(`:${ref}`)) continue
    if (flag !== '!') return { kind: 'accepted' }
    if (summary.startsWith('[rejected]')) return { kind: 'stale' }
    const reason = redact(summary.slice(0, 500))
    return { kind: lockFailed.test(summary) ? 'blocked' : 'declined', reason }
  }
  return { kind: 'unknown' }
}

/** What the server, or a hook of it, told the person who pushes, in one line. */
export const serverWords = (stderr: string): string =>
  stderr
    .split(/[\r\n]/)
    .flatMap((line) => (line.startsWith('remote:') ? [line.slice('remote:'.length).trim()] : []))
    .filter((line) => line !== '')
    .join(' ')
    .replace(/\p{Cc}/gu, '')
    .slice(0, 500)

// Between the server's answer where the branch is and its attempt to move it.
const lockFailed =
  /cannot lock ref|failed to (update|lock|write) ref|reference already exists|but expected|unable to resolve reference|fetch first|non-fast-forward/
