/**
 * The part of a description that the platform writes. People may write before and after it. Its first line names the
 * runs that it is about: the pull request of a run is thereby found again after a crash, even if it has been merged
 * since. Others cannot write the UID of a run before it exists.
 */
export function withOwnSection(body: string, { uid, text }: OwnSection): string {
  const uids = [...runsIn(body).filter((one) => one !== uid), uid].slice(-mostRuns)
  const section = `<!-- agents:begin ${uids.join(' ')} -->\n${text}\n<!-- agents:end -->`
  const found = findSection(body)
  if (found === undefined) return body === '' ? section : body
  return `${body.slice(0, found.start)}${section}${body.slice(found.end)}`
}

interface OwnSection {
  readonly uid: string
  readonly text: string
}

export function runsIn(body: string): string[] {
  return findSection(body)?.uids ?? []
}

const mostRuns = 20
const begin = /<!-- agents:begin ([0-9a-f -]{1,800}) -->/
const endMark = '<!-- agents:end -->'

/** Anybody may write into the description. What does not end after its first beginning ends after no other. */
function findSection(body: string) {
  const found = begin.exec(body)
  if (found === null) return undefined
  const [whole, uids = ''] = found
  const at = body.indexOf(endMark, found.index + whole.length)
  if (at === -1) return undefined
  return { start: found.index, end: at + endMark.length, uids: uids.split(' ') }
}
