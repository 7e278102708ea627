/** The name rules of apimachinery. Each function returns the problems of a name, worded as upstream does. */

const dns1035LabelRegex = '[a-z]([-a-z0-9]*[a-z0-9])?'
const dns1123LabelRegex = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const dns1123SubdomainRegex = `${dns1123LabelRegex}(\\.${dns1123LabelRegex})*`
const labelNameRegex = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'

export function dns1035LabelProblems(value: string): string[] {
  const problems = longerThan(value, 63)
  if (!isDnsLabel(value, isLowerLetter)) {
    problems.push(
      mustMatch(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        dns1035LabelRegex,
        ['my-name', 'abc-123'],
      ),
    )
  }
  return problems
}

export function dns1123LabelProblems(value: string): string[] {
  const problems = longerThan(value, 63)
  if (!isDnsLabel(value, isLowerAlphanumeric)) {
    problems.push(
      isDns1123Subdomain(value)
        ? 'must not contain dots'
        : mustMatch(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            dns1123LabelRegex,
            ['my-name', '123-abc'],
          ),
    )
  }
  return problems
}

export function dns1123SubdomainProblems(value: string): string[] {
  const problems = longerThan(value, 253)
  if (!isDns1123Subdomain(value)) {
    problems.push(
      mustMatch(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        dns1123SubdomainRegex,
        ['example.com'],
      ),
    )
  }
  return problems
}

/** Problems of a key of a label or annotation, or of the name of a finalizer. */
export function labelKeyProblems(value: string): string[] {
  const parts = value.split('/')
  const nameRule = mustMatch(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    labelNameRegex,
    ['MyName', 'my.name', '123-abc'],
  )
  if (parts.length > 2) {
    return [
      `a valid label key ${nameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const problems: string[] = []
  const prefix = parts.length === 2 ? parts[0] : undefined
  const name = parts.at(-1) ?? ''
  if (prefix === '') problems.push('prefix part must be non-empty')
  else if (prefix !== undefined) {
    problems.push(...dns1123SubdomainProblems(prefix).map((problem) => `prefix part ${problem}`))
  }
  if (name === '') problems.push('name part must be non-empty')
  else problems.push(...longerThan(name, 63).map((problem) => `name part ${problem}`))
  if (!isLabelName(name)) problems.push(`name part ${nameRule}`)
  return problems
}

export function labelValueProblems(value: string): string[] {
  const problems = longerThan(value, 63)
  if (value !== '' && !isLabelName(value)) {
    problems.push(
      mustMatch(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        `(${labelNameRegex})?`,
        ['MyValue', 'my_value', '12345'],
      ),
    )
  }
  return problems
}

/** Problems of a name that must be one segment of a URL path. */
export function pathSegmentProblems(value: string, isPrefix: boolean): string[] {
  if (!isPrefix && (value === '.' || value === '..')) return [`may not be '${value}'`]
  return ['/', '%']
    .filter((part) => value.includes(part))
    .map((part) => `may not contain '${part}'`)
}

export function isDns1123Label(value: string): boolean {
  return isDnsLabel(value, isLowerAlphanumeric)
}

export function isDns1123Subdomain(value: string): boolean {
  return value.split('.').every((label) => isDnsLabel(label, isLowerAlphanumeric))
}

function isDnsLabel(value: string, isStart: (code: number) => boolean): boolean {
  const last = value.length - 1
  if (last < 0 || !isStart(value.charCodeAt(0))) return false
  for (let index = 1; index <= last; index += 1) {
    const code = value.charCodeAt(index)
    if (!isLowerAlphanumeric(code) && (code !== 0x2d || index === last)) return false
  }
  return true
}

function isLowerLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a
}

function isLowerAlphanumeric(code: number): boolean {
  return isLowerLetter(code) || (code >= 0x30 && code <= 0x39)
}

function isLabelName(value: string): boolean {
  return /^[-A-Za-z0-9_.]+$/.test(value) && /^[A-Za-z0-9]/.test(value) && /[A-Za-z0-9]$/.test(value)
}

function longerThan(value: string, bytes: number): string[] {
  return Buffer.byteLength(value) > bytes ? [`must be no more than ${bytes} bytes`] : []
}

function mustMatch(rule: string, regex: string, examples: readonly string[]): string {
  const listed = examples.map((example) => `'${example}', `).join(' or ')
  return `${rule} (e.g. ${listed}regex used for validation is '${regex}')`
}
