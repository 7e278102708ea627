import type { ValidationRule } from '@agents/crd'

const forbidden = [
  '..',
  '@{',
  '//',
  '/.',
  '.lock/',
  ' ',
  '\\t',
  '\\n',
  '~',
  '^',
  ':',
  '?',
  '*',
  '[',
  '\\\\',
]
const firsts = ['refs/', '-', '.', '/']
const lasts = ['/', '.', '.lock']

/**
 * A CEL expression: whether a text is the name of a branch. No `refs/…`, `@` or `HEAD`: Git would take them for other
 * refs than the branch that policies judge. Without regular expressions, whose estimated cost is too high where a text
 * has no maximum length.
 */
function isBranchName(text: string): string {
  const quoted = (words: readonly string[], call: string) =>
    words.map((word) => `!${text}.${call}('${word}')`)
  return [
    `${text} != '@'`,
    `${text} != 'HEAD'`,
    ...quoted(firsts, 'startsWith'),
    ...quoted(lasts, 'endsWith'),
    ...quoted(forbidden, 'contains'),
  ].join(' && ')
}

const message = 'must be the name of a branch, such as main, without refs/heads/'

export const branchName: ValidationRule = { rule: isBranchName('self'), message }

/** The keys of parameters that name the branches of a run, with their aliases. */
const branchParameters = {
  head: ['head', 'headBranch', 'head_ref', 'headRef'],
  base: ['base', 'baseBranch', 'base_ref', 'baseRef'],
} as const

/** Parameters are used without blanks around them, and an empty one is none. */
export const branchParameterNames: readonly ValidationRule[] = Object.values(branchParameters).map(
  (keys) => ({
    rule: `[${keys.map((key) => `'${key}'`).join(', ')}].all(key, !(key in self) || [self[key].trim()].all(name, ${isBranchName('name')}))`,
    message: `${keys.join(', ')} ${message}`,
  }),
)
