import { mask } from './mask.ts'

const beginMarker = '-----BEGIN '
const endMarker = '-----END '
const longestLabel = 64

/** Masks private keys in PEM. A truncated key is masked to the end of the text. */
export function redactPem(text: string): string {
  let begin = text.indexOf(beginMarker)
  if (begin === -1) return text
  let out = ''
  let done = 0
  while (begin !== -1) {
    const labelStart = begin + beginMarker.length
    const label = text.slice(labelStart, labelStart + longestLabel).split('-----', 1)[0] ?? ''
    if (!label.includes('PRIVATE KEY')) {
      begin = text.indexOf(beginMarker, labelStart)
      continue
    }
    out += `${text.slice(done, begin)}${mask}`
    const end = text.indexOf(endMarker, labelStart)
    done = end === -1 ? text.length : endOfLine(text, end + endMarker.length)
    begin = text.indexOf(beginMarker, done)
  }
  return out + text.slice(done)
}

function endOfLine(text: string, from: number): number {
  const dashes = text.indexOf('-----', from)
  return dashes === -1 ? text.length : dashes + 5
}
