import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { isRecording } from './recorded-servers.ts'

/** Answers of the real server by title, in a file that nothing else writes. */
export interface Recording {
  /** Expects that an answer, of either server, is the one that is recorded. `asked` is for the message. */
  expectSame(title: string, answer: unknown, asked?: unknown): void
  /** Expects that each item of a list or record is recorded, and that a list has the order of the recorded one. */
  expectParts(title: string, answer: readonly string[] | Readonly<Record<string, string>>): void
  /** To be called after all tests. */
  save(): void
}

export function openRecording(path: string): Recording {
  const known: Record<string, unknown> = isRecording ? {} : JSON.parse(readFileSync(path, 'utf8'))
  const put = (title: string, answer: unknown): void => {
    if (isRecording) {
      if (title in known) throw new Error(`two answers are called "${title}"`)
      known[title] = answer
    }
    expect(title in known, `nothing is recorded as "${title}"`).toBe(true)
  }
  return {
    expectSame: (title, answer, asked) => {
      const got: unknown = JSON.parse(JSON.stringify(answer))
      put(title, got)
      const because = asked === undefined ? title : `${title}: ${JSON.stringify(asked)}`
      expect(got, because).toEqual(known[title])
    },
    expectParts: (title, answer) => {
      put(title, answer)
      const all = known[title] as typeof answer
      if (Array.isArray(answer) && Array.isArray(all)) {
        expect(answer, title).toEqual(all.filter((item) => answer.includes(item)))
      } else {
        const isSame = ([name, text]: [string, string]) => Reflect.get(all, name) === text
        expect(
          Object.entries(answer).filter((part) => !isSame(part)),
          title,
        ).toEqual([])
      }
    },
    save: () => {
      if (isRecording) writeFileSync(path, textOf(known))
    },
  }
}

/** Objects in one line; lines of text in as many, so that changes are readable. */
function textOf(known: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(known).map(([title, answer]) => {
    const indent = Array.isArray(answer) ? 1 : 0
    return `${JSON.stringify(title)}:${JSON.stringify(answer, undefined, indent)}`
  })
  return `{\n${entries.join(',\n')}\n}\n`
}
