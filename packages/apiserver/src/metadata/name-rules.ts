/** Rules for names, labels and path segments. Each function returns upstream's error messages. */

export function dnsSubdomain(value: string): string[] {
  const errors: string[] = []
  if (byteLength(value) > 253) errors.push(maxCharacters(253))
  if (!subdomainPattern.test(value)) {
    errors.push(
      regexMessage(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        subdomainFormat,
        ['example.com'],
      ),
    )
  }
  return errors
}

export function dnsLabel(value: string): string[] {
  const errors: string[] = []
  if (byteLength(value) > 63) errors.push(maxCharacters(63))
  if (!labelPattern.test(value)) {
    errors.push(
      subdomainPattern.test(value)
        ? 'must not contain dots'
        : regexMessage(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            labelFormat,
            ['my-name', '123-abc'],
          ),
    )
  }
  return errors
}

export function dns1035Label(value: string): string[] {
  const errors: string[] = []
  if (byteLength(value) > 63) errors.push(maxCharacters(63))
  if (!dns1035Pattern.test(value)) {
    errors.push(
      regexMessage(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        dns1035Format,
        ['my-name', 'abc-123'],
      ),
    )
  }
  return errors
}

/** Masks a trailing dash of a generateName before validation, since the suffix makes it valid. */
export function maskTrailingDash(name: string): string {
  return name.endsWith('-') && name.length > 1 ? `${name.slice(0, -1)}a` : name
}

export function subdomainName(name: string, prefix: boolean): string[] {
  return dnsSubdomain(prefix ? maskTrailingDash(name) : name)
}

export function labelName(name: string, prefix: boolean): string[] {
  return dnsLabel(prefix ? maskTrailingDash(name) : name)
}

/** Validates names that only have to be valid in a URL, such as those of roles and bindings. */
export function pathSegment(name: string, prefix: boolean): string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`]
  return ['/', '%'].filter((bad) => name.includes(bad)).map((bad) => `may not contain '${bad}'`)
}

/** Valid keys that were checked lately: most objects have the same ones. */
const validKeys = new Set<string>()
const mostValidKeys = 1000

/** Validates the key of a label or annotation, or a finalizer. */
export function labelKey(value: string): readonly string[] {
  if (validKeys.has(value)) return noErrors
  const errors = labelKeyErrors(value)
  if (errors.length > 0) return errors
  if (validKeys.size >= mostValidKeys) validKeys.clear()
  validKeys.add(value)
  return noErrors
}

const noErrors: readonly string[] = []

function labelKeyErrors(value: string): string[] {
  const parts = value.split('/')
  if (parts.length > 2) {
    return [
      `a valid label key ${nameMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const errors: string[] = []
  const [prefix, name] = parts.length === 2 ? parts : [undefined, parts[0]]
  if (prefix === '') errors.push('prefix part must be non-empty')
  else if (prefix !== undefined) {
    errors.push(...dnsSubdomain(prefix).map((message) => `prefix part ${message}`))
  }
  const text = name ?? ''
  if (text === '') errors.push('name part must be non-empty')
  else if (byteLength(text) > 63) errors.push(`name part ${maxLength(63)}`)
  if (!namePattern.test(text)) errors.push(`name part ${nameMessage}`)
  return errors
}

export function labelValue(value: string): string[] {
  const errors: string[] = []
  if (byteLength(value) > 63) errors.push(maxLength(63))
  if (value !== '' && !namePattern.test(value)) {
    errors.push(
      regexMessage(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        `(${nameFormat})?`,
        ['MyValue', 'my_value', '12345'],
      ),
    )
  }
  return errors
}

const labelFormat = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`
const dns1035Format = '[a-z]([-a-z0-9]*[a-z0-9])?'
const nameFormat = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const labelPattern = new RegExp(`^${labelFormat}$`)
const subdomainPattern = new RegExp(`^${subdomainFormat}$`)
const dns1035Pattern = new RegExp(`^${dns1035Format}$`)
const namePattern = new RegExp(`^${nameFormat}$`)
const nameMessage = regexMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  nameFormat,
  ['MyName', 'my.name', '123-abc'],
)

function regexMessage(message: string, format: string, examples: readonly string[]): string {
  const quoted = examples.map((example) => `'${example}', `).join(' or ')
  return `${message} (e.g. ${quoted}regex used for validation is '${format}')`
}

/** The message says characters, but bytes are counted: only ASCII is valid in these names. */
function maxCharacters(count: number): string {
  return `must be no more than ${count} characters`
}

function maxLength(bytes: number): string {
  return `must be no more than ${bytes} bytes`
}

function byteLength(text: string): number {
  return Buffer.byteLength(text)
}
