import { redact } from '@agents/log'

export type PushVerdict =
  | { readonly kind: 'accepted' }
  /** The branch is not where the push expected it. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'declined'; readonly reason: string }
  /** The server said nothing about the branch: whether it was written is not known. */
  | { readonly kind: 'unknown' }

/** Reads what `git push --porcelain` says about one branch: `flag TAB from:to TAB summary`. */
export const pushVerdict = (output: string, ref: string): PushVerdict => {
  for (const line of output.split('\n')) {
    const [flag, refs = '', summary = ''] = line.split('\t')
    if (flag === undefined || !refs.endsWith(`:${ref}`)) continue
    if (flag !== '!') return { kind: 'accepted' }
    if (raced.test(summary)) return { kind: 'stale' }
    return { kind: 'declined', reason: redact(summary.slice(0, 500)) }
  }
  return { kind: 'unknown' }
}

// Either our own look at the branch showed it elsewhere, or the server's lock did, between that look and the write.
const raced =
  /\[rejected\]|cannot lock ref|failed to (update|lock|write) ref|reference already exists|is at [0-9a-f]+ but expected|unable to resolve reference|fetch first|non-fast-forward/
