import { MASK } from './mask.ts'

const BEGIN = '-----BEGIN '
const END = '-----END '
const LONGEST_LABEL = 64

/** Masks private keys in PEM. One that was cut off before its end is masked to the end of the text. */
export function redactPem(text: string): string {
  let begin = text.indexOf(BEGIN)
  if (begin === -1) return text
  let out = ''
  let done = 0
  while (begin !== -1) {
    const labelStart = begin + BEGIN.length
    const label = text.slice(labelStart, labelStart + LONGEST_LABEL).split('-----', 1)[0] ?? ''
    if (!label.includes('PRIVATE KEY')) {
      begin = text.indexOf(BEGIN, labelStart)
      continue
    }
    out += `${text.slice(done, begin)}${MASK}`
    const end = text.indexOf(END, labelStart)
    done = end === -1 ? text.length : endOfLine(text, end + END.length)
    begin = text.indexOf(BEGIN, done)
  }
  return out + text.slice(done)
}

function endOfLine(text: string, from: number): number {
  const dashes = text.indexOf('-----', from)
  return dashes === -1 ? text.length : dashes + 5
}
