import { mask } from './mask.ts'
import { endOfQuoted } from './quoted.ts'

const kindSecret = /kind\\*["']?[ \t]*:[ \t]*\\*["']?Secret(?:List)?(?!\w)/

/** Masks `data` and `stringData` in a text that contains a Kubernetes Secret as JSON or YAML. */
export function redactSecretManifests(text: string): string {
  if (!kindSecret.test(text)) return text
  return redactYamlData(redactJsonData(text))
}

// Because of the lookbehind, a run of backslashes is tried once, from its start.
const jsonData = /(?<!\\)(\\*["'])(?:data|stringData)\1\s{0,8}:\s{0,8}\{/g

function redactJsonData(text: string): string {
  const starts = new RegExp(jsonData)
  let out = ''
  let done = 0
  for (let match = starts.exec(text); match !== null; match = starts.exec(text)) {
    const start = starts.lastIndex
    const end = endOfObject(text, start, match[1] ?? '"')
    out += text.slice(done, start) + mask
    done = end
    starts.lastIndex = end
  }
  return out + text.slice(done)
}

function endOfObject(text: string, from: number, opener: string): number {
  let at = from
  while (at < text.length && text[at] !== '}') {
    at = text.startsWith(opener, at)
      ? endOfQuoted(text, at + opener.length, opener) + opener.length
      : at + 1
  }
  return Math.min(at, text.length)
}

const yamlData = /^([ \t]*)(?:data|stringData):(.*)$/
const yamlKey = /^([ \t]*[\w.-]+:)/

function redactYamlData(text: string): string {
  let dataIndent: number | undefined
  const lines = text.split('\n').map((line) => {
    const header = yamlData.exec(line)
    if (header !== null) {
      dataIndent = header[1]?.length ?? 0
      const inline = header[2]?.trim() ?? ''
      return inline === '' ? line : `${line.slice(0, line.indexOf(':') + 1)} ${mask}`
    }
    if (dataIndent === undefined || line.trim() === '') return line
    if (line.length - line.trimStart().length <= dataIndent) {
      dataIndent = undefined
      return line
    }
    return `${yamlKey.exec(line)?.[1] ?? ' '.repeat(dataIndent + 1)} ${mask}`
  })
  return lines.join('\n')
}
