import { posix } from 'node:path'

/** The option after which a program takes its argument as a script. */
const interpreters: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:ba|da|a|k|mk|z|fi|tc|c)?sh$/, /^-[A-Za-z]*c$/],
  [/^python[\d.]*$/, /^-[A-Za-z]*c$/],
  [/^(?:node|nodejs|bun|deno)$/, /^(?:-e|-p|-pe|--eval|--print|eval)$/],
  [/^(?:perl|ruby)[\d.]*$/, /^-[A-Za-z]*[eE]$/],
]

/**
 * The index of the word that an interpreter reads as a script. A value that is put into a script can add commands to
 * it, whatever quotes surround it.
 */
export function scriptArgument(words: readonly string[]): number | undefined {
  for (const [at, word] of words.entries()) {
    const name = posix.basename(word)
    const [, option] = interpreters.find(([program]) => program.test(name)) ?? []
    if (option === undefined) continue
    const given = words.findIndex((one, index) => index > at && option.test(one))
    if (given !== -1 && given + 1 < words.length) return given + 1
  }
  return undefined
}
