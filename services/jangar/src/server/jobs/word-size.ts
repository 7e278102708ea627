/** In bytes: the limit of Linux for one argument or variable, without the terminating NUL. */
export const largestWord = 128 * 1024 - 1

/** The name of the first argument or variable with which the kernel could not start a program. */
export function tooLargeWord(
  words: readonly (readonly [name: string, word: string])[],
): string | undefined {
  return words.find(([, word]) => Buffer.byteLength(word) > largestWord)?.[0]
}
