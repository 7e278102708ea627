import { endOfString } from './end-of-string.ts'
import { decodeText } from './parse-bounded-json.ts'

/** As many as the strict decoder of Kubernetes reports. */
const reportLimit = 100

/**
 * Paths of the fields that occur more than once in their object, each once, as the strict decoder of
 * Kubernetes names them: `spec.containers[0].image`. The input must be valid JSON.
 */
export function findDuplicateKeys(input: Uint8Array | string): string[] {
  const text = typeof input === 'string' ? input : decodeText(input)
  const duplicates = new Set<string>()
  const containers: Container[] = []
  for (let at = 0; at < text.length && duplicates.size < reportLimit; at++) {
    const container = containers.at(-1)
    switch (text[at]) {
      case '{':
        containers.push({ keys: new Set(), current: '', expectsKey: true })
        break
      case '[':
        containers.push({ keys: undefined, current: 0, expectsKey: false })
        break
      case '}':
      case ']':
        containers.pop()
        break
      case ',':
        if (container !== undefined) startNext(container)
        break
      case '"': {
        const end = endOfString(text, at)
        if (container?.expectsKey === true && !takeKey(container, text.slice(at, end + 1))) {
          duplicates.add(pathOf(containers))
        }
        at = end
      }
    }
  }
  return [...duplicates]
}

interface Container {
  /** Undefined for an array. */
  readonly keys: Set<string> | undefined
  /** The key or index whose value is being read. */
  current: string | number
  expectsKey: boolean
}

function startNext(container: Container): void {
  if (typeof container.current === 'number') container.current++
  else container.expectsKey = true
}

/** False if the key was there before. */
function takeKey(container: Container, quoted: string): boolean {
  const key = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
  container.current = key
  container.expectsKey = false
  const isNew = container.keys?.has(key) !== true
  container.keys?.add(key)
  return isNew
}

function pathOf(containers: readonly Container[]): string {
  return containers
    .map(({ current }) => (typeof current === 'number' ? `[${current}]` : `.${current}`))
    .join('')
    .replace(/^\./, '')
}
