/** A command of a tour, with its documented output. */
interface TourStep {
  readonly command: string
  readonly prints: readonly string[]
}

/** The steps in the `console` blocks of a page: lines after a dollar sign, each followed by its output. */
export function readTour(page: string): TourStep[] {
  const blocks = [...page.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text = '']) => text)
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command = '', ...prints] = text.trimEnd().split('\n')
        return { command, prints: prints.filter((line) => line !== '') }
      }),
  )
}

/** The line without times, digests and ports, which differ from run to run. */
function shapeOf(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b\d+(ms|s|m|h)(\d+s)?\b/g, 'AGE')
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, 'COMMIT')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replaceAll(/ +/g, ' ')
    .trim()
}

/** The first documented line that was not printed, in order. Additional lines may be printed. */
export function missingLine(promised: readonly string[], printed: string): string | undefined {
  const lines = printed.split('\n').map(shapeOf)
  let from = 0
  for (const line of promised) {
    const found = lines.indexOf(shapeOf(line), from)
    if (found === -1) return line
    from = found + 1
  }
  return undefined
}
