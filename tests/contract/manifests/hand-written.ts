import type { Json, JsonMap } from '../../../services/gittarget/src/document/json.ts'
import type { Random } from './random.ts'
import { trickyStrings } from './random-values.ts'

/**
 * Writes YAML as people and tools do: with comments, blank lines, flow collections, anchors, all styles of scalars, and
 * plain scalars that do not mean what they look like. The text may therefore describe another object than the given
 * one.
 */
export class HandWriter {
  readonly #random: Random
  readonly #listIndent: number
  #anchors: string[] = []
  #named = 0
  #notes = 0

  constructor(random: Random) {
    this.#random = random
    this.#listIndent = random.pick([0, 2, 4])
  }

  /** All comments contain `note-` and a number. */
  document(object: JsonMap): string {
    this.#anchors = []
    const { apiVersion, kind, metadata, ...rest } = object
    const { name, namespace } = metadata as JsonMap
    const lines = [
      ...this.#comment(0),
      `apiVersion: ${apiVersion}`,
      `kind: ${kind}${this.#tail()}`,
      'metadata:',
      ...(namespace === undefined ? [] : [`  namespace: "${namespace}"`]),
      `  name:   ${name}${this.#tail()}`,
      ...this.#members(0, rest),
      ...this.#comment(0),
    ]
    const end = this.#random.chance(0.15) ? '' : '\n'
    const text = lines.join('\n') + end
    return this.#random.chance(0.1) ? text.replaceAll('\n', '\r\n') : text
  }

  #members(indent: number, map: JsonMap): string[] {
    const pad = ' '.repeat(indent)
    return Object.entries(map).flatMap(([key, value = null]) => {
      const name = this.#key(key)
      if (name.length > 1000) return []
      const [first, ...below] = this.#value(indent, value, 'member')
      return [...this.#comment(indent), `${pad}${name}:${first}`, ...below]
    })
  }

  /** The first line follows the colon or dash, with a blank unless it is empty. */
  #value(indent: number, value: Json, slot: 'member' | 'item'): string[] {
    const random = this.#random
    if (random.chance(0.08) && this.#anchors.length > 0) {
      return [` *${random.pick(this.#anchors)}${this.#tail()}`]
    }
    if (!random.chance(0.08)) return this.#plainValue(indent, value, slot, true)
    const name = `x${this.#named}`
    this.#named += 1
    const [first = '', ...below] = this.#plainValue(indent, value, slot, false)
    // It can be used only after its value.
    this.#anchors.push(name)
    return [` &${name}${first}`, ...below]
  }

  #plainValue(indent: number, value: Json, slot: 'member' | 'item', mayJoin: boolean): string[] {
    const random = this.#random
    if (typeof value === 'string') return this.#string(indent, value)
    if (typeof value !== 'object' || value === null)
      return [` ${this.#other(value)}${this.#tail()}`]
    const isEmpty = Object.keys(value).length === 0
    if (isEmpty || random.chance(0.3)) return [` ${this.#flow(value)}${this.#tail()}`]
    if (Array.isArray(value)) {
      const column = indent + (slot === 'item' ? 2 : this.#listIndent)
      return [this.#tail(), ...this.#items(column, value)]
    }
    const lines = this.#members(indent + 2, value as JsonMap)
    const [opening = ''] = lines
    const joins =
      slot === 'item' && mayJoin && !opening.trim().startsWith('#') && opening.trim() !== ''
    return joins ? [` ${opening.trimStart()}`, ...lines.slice(1)] : [this.#tail(), ...lines]
  }

  #items(indent: number, items: readonly Json[]): string[] {
    const pad = ' '.repeat(indent)
    return items.flatMap((item) => {
      const [first, ...below] = this.#value(indent, item, 'item')
      return [...this.#comment(indent), `${pad}-${first}`, ...below]
    })
  }

  #key(key: string): string {
    const random = this.#random
    if (/^[A-Za-z][A-Za-z0-9_./-]*$/.test(key) && random.chance(0.8)) return key
    return random.chance(0.3) && this.#fitsSingle(key)
      ? `'${key.replaceAll("'", "''")}'`
      : this.#double(key)
  }

  #string(indent: number, value: string): string[] {
    const random = this.#random
    const style = random.below(6)
    if (style === 0 && /^[A-Za-z0-9_./+~=.-]+$/.test(value) && !/^(?:-|---|\.\.\.)$/.test(value)) {
      return [` ${random.chance(0.1) ? '!!str ' : ''}${value}${this.#tail()}`]
    }
    if (style === 1 && this.#fitsSingle(value)) {
      return [` '${value.replaceAll("'", "''")}'${this.#tail()}`]
    }
    if (style >= 4 && this.#fitsBlock(value)) {
      const chomp = random.pick(['', '-', '+'])
      const pad = ' '.repeat(indent + random.pick([2, 3, 4]))
      const lines = value.split('\n').map((line) => (line.trim() === '' ? '' : pad + line))
      const blank = random.chance(0.2) ? [''] : []
      return [
        ` ${style === 4 ? '|' : '>'}${chomp}${random.chance(0.2) ? this.#note() : ''}`,
        ...lines,
        ...blank,
      ]
    }
    return [` ${this.#double(value)}${this.#tail()}`]
  }

  #fitsSingle(value: string): boolean {
    return /^[\t\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff]*$/.test(value)
  }

  #fitsBlock(value: string): boolean {
    return /^[\t\n\u0020-\u007e\u00a0-\u2027\u202a-\udfff]*$/.test(value) && /^\S/.test(value)
  }

  #double(value: string): string {
    const text = JSON.stringify(value)
    // Some files contain characters that only YAML 1.2 allows.
    if (this.#random.chance(0.1)) return text
    return text.replace(
      /[\u007f-\u009f\u2028\u2029\ufeff\ufffe]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  }

  #other(value: Json): string {
    if (value === null) return this.#random.pick(['null', '~', ''])
    if (value === true) return this.#random.pick(['true', 'yes', 'On', 'y'])
    if (value === false) return this.#random.pick(['false', 'No', 'off', 'N'])
    if (typeof value === 'number' && Number.isInteger(value) && value > 0) {
      return this.#random.pick([
        `${value}`,
        `0${value.toString(8)}`,
        `0x${value.toString(16)}`,
        `${value}_0`,
      ])
    }
    return String(value)
  }

  #flow(value: Json): string {
    const random = this.#random
    if (typeof value === 'string') {
      return trickyStrings.includes(value) && /^[A-Za-z0-9_.+]+$/.test(value) && random.chance(0.5)
        ? value
        : this.#double(value)
    }
    if (typeof value !== 'object' || value === null) return this.#other(value) || 'null'
    const [open, between, close] = random.pick([
      ['', ', ', ''],
      [' ', ' , ', ' '],
      ['', ',', ''],
    ])
    if (Array.isArray(value))
      return `[${open}${value.map((item) => this.#flow(item)).join(between)}${close}]`
    const members = Object.entries(value as Record<string, Json>).map(
      ([key, member]) => `${this.#double(key)}: ${this.#flow(member)}`,
    )
    return `{${open}${members.join(between)}${close}}`
  }

  #comment(indent: number): string[] {
    const random = this.#random
    const blank = random.chance(0.1) ? [''] : []
    return random.chance(0.15) ? [...blank, `${' '.repeat(indent)}${this.#note().trim()}`] : blank
  }

  #tail(): string {
    return this.#random.chance(0.2) ? this.#note() : ''
  }

  #note(): string {
    this.#notes += 1
    return `${this.#random.pick([' ', '   '])}# note-${this.#notes} of the owner: {kept}`
  }
}
