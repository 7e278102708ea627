import { parseDate } from '../../value/time.ts'
import { parseRequestUrl } from '../network/go-url.ts'

/** A format that strings can be validated against by name. */
export interface NamedFormat {
  readonly name: string
  /** The pattern size that is used for the format in cost calculations. */
  readonly regexSize: number
  /** The problems of a text; none if it has the format. */
  validate(text: string): string[]
}

export function namedFormats(): ReadonlyMap<string, NamedFormat> {
  return formatsByName
}

const labelRegex = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomainRegex = `${labelRegex}(\\.${labelRegex})*`
const label1035Regex = '[a-z]([-a-z0-9]*[a-z0-9])?'
const qualifiedNameRegex = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const labelValueRegex = `(${qualifiedNameRegex})?`

/** The length of the patterns of kube-openapi for a UUID and for the time of a date-time. */
const uuidRegexSize = 70
const datetimeRegexSize = 71

const formatsByName: ReadonlyMap<string, NamedFormat> = new Map(
  [
    format('dns1123Label', 'DNS1123Label', 30, checkLabel),
    format('dns1123LabelPrefix', 'DNS1123LabelPrefix', 30, (text) => checkLabel(maskDash(text))),
    format('dns1123Subdomain', 'DNS1123Subdomain', 60, checkSubdomain),
    format('dns1123SubdomainPrefix', 'DNS1123SubdomainPrefix', 60, (text) =>
      checkSubdomain(maskDash(text)),
    ),
    format('dns1035Label', 'DNS1035Label', 30, checkLabel1035),
    format('dns1035LabelPrefix', 'DNS1035LabelPrefix', 30, (text) =>
      checkLabel1035(maskDash(text)),
    ),
    format('qualifiedName', 'QualifiedName', 60, checkQualifiedName),
    format('labelValue', 'LabelValue', 40, checkLabelValue),
    format('uri', 'URI', 1103, (text) => {
      const parsed = parseRequestUrl(text)
      return typeof parsed === 'string' ? [parsed] : []
    }),
    format('uuid', 'uuid', uuidRegexSize, (text) =>
      /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)
        ? []
        : ['does not match the UUID format'],
    ),
    format('byte', 'byte', 84, (text) => (isBase64(text) ? [] : ['invalid base64'])),
    format('date', 'date', datetimeRegexSize, (text) =>
      parseDate(text) === undefined ? ['invalid date'] : [],
    ),
    format('datetime', 'datetime', datetimeRegexSize, (text) =>
      isDateTime(text) ? [] : ['invalid datetime'],
    ),
  ].map((entry) => [entry.key, entry.value]),
)

function format(
  key: string,
  name: string,
  regexSize: number,
  validate: (text: string) => string[],
): { key: string; value: NamedFormat } {
  return { key, value: { name, regexSize, validate } }
}

/** A prefix may end in a dash, because more characters follow. */
function maskDash(text: string): string {
  return text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text
}

function checkLabel(text: string): string[] {
  const errors = tooLong(text, 63)
  if (matches(labelRegex, text)) return errors
  if (matches(subdomainRegex, text)) return [...errors, 'must not contain dots']
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
  return [...errors, regexError(message, labelRegex, 'my-name', '123-abc')]
}

function checkSubdomain(text: string): string[] {
  const errors = tooLong(text, 253)
  if (matches(subdomainRegex, text)) return errors
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
  return [...errors, regexError(message, subdomainRegex, 'example.com')]
}

function checkLabel1035(text: string): string[] {
  const errors = tooLong(text, 63)
  if (matches(label1035Regex, text)) return errors
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
  return [...errors, regexError(message, label1035Regex, 'my-name', 'abc-123')]
}

function checkQualifiedName(text: string): string[] {
  const message =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
  const parts = text.split('/')
  const errors: string[] = []
  let [name = ''] = parts
  if (parts.length === 2) {
    const [prefix = '', local = ''] = parts
    name = local
    if (prefix === '') errors.push('prefix part must be non-empty')
    else errors.push(...checkSubdomain(prefix).map((error) => `prefix part ${error}`))
  } else if (parts.length > 2) {
    const whole = `a valid label key ${message}`
    return [
      `${regexError(whole, qualifiedNameRegex, 'MyName', 'my.name', '123-abc')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  if (name === '') errors.push('name part must be non-empty')
  else if (name.length > 63) errors.push('name part must be no more than 63 characters')
  if (!matches(qualifiedNameRegex, name)) {
    errors.push(
      `name part ${regexError(message, qualifiedNameRegex, 'MyName', 'my.name', '123-abc')}`,
    )
  }
  return errors
}

function checkLabelValue(text: string): string[] {
  const errors = tooLong(text, 63)
  if (matches(labelValueRegex, text)) return errors
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
  return [...errors, regexError(message, labelValueRegex, 'MyValue', 'my_value', '12345')]
}

function tooLong(text: string, limit: number): string[] {
  const bytes = new TextEncoder().encode(text).length
  return bytes > limit ? [`must be no more than ${limit} characters`] : []
}

/** These patterns have no nested repetition over the same characters, so JavaScript's engine is safe here. */
function matches(pattern: string, text: string): boolean {
  return text.length <= 1024 && new RegExp(`^(?:${pattern})$`).test(text)
}

function regexError(message: string, pattern: string, ...examples: string[]): string {
  const formatted = examples.map((example) => `'${example}', `).join(' or ')
  return `${message} (e.g. ${formatted}regex used for validation is '${pattern}')`
}

function isBase64(text: string): boolean {
  return (
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text) && text !== ''
  )
}

function isDateTime(text: string): boolean {
  const parts = text.toLowerCase().split('t')
  const [date = '', clock = ''] = parts
  if (parts.length < 2 || parseDate(date) === undefined) return false
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(
    clock,
  )
  if (match === null) return false
  const [, hour = '', minute = '', second = ''] = match
  return hour <= '23' && minute <= '59' && second <= '59'
}
