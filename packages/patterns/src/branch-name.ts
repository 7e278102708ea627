// As `git check-ref-format --branch` has it, without what Git would expand or take for another ref.
const forbidden = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0020\u007f~^:?*[\\]/,
  /\.\.|@\{|\/\/|\/\.|\.lock(\/|$)/,
  /^[-./]|[./]$|^@$|^HEAD$|^refs\//,
]

/** Whether Git takes the name for a branch, and for nothing else. */
export function isBranchName(name: string): boolean {
  return name !== '' && !forbidden.some((pattern) => pattern.test(name))
}
