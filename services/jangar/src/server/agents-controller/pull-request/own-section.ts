/**
 * The part of a description that the platform writes. People may write before and after it. Its first line names the
 * runs that it is about: the pull request of a run is thereby found again after a crash, even if it has been merged
 * since. Others cannot write the UID of a run before it exists.
 */
export function withOwnSection(body: string, { uid, text }: OwnSection): string {
  const uids = [...runsIn(body).filter((one) => one !== uid), uid].slice(-mostRuns)
  const section = `<!-- agents:begin ${uids.join(' ')} -->\n${text}\n<!-- agents:end -->`
  const found = pattern.exec(body)
  if (found === null) return body === '' ? section : body
  return `${body.slice(0, found.index)}${section}${body.slice(found.index + found[0].length)}`
}

interface OwnSection {
  readonly uid: string
  readonly text: string
}

export function runsIn(body: string): string[] {
  return pattern.exec(body)?.[1]?.split(' ') ?? []
}

const mostRuns = 20
const pattern = /<!-- agents:begin ([0-9a-f -]{1,800}) -->[\s\S]*?<!-- agents:end -->/
