import { parseRequestUrl } from './go-url.ts'
import { parseDate } from './time.ts'

/** A format that strings can be validated against by name. */
export interface NamedFormat {
  readonly name: string
  /** Length of the pattern that stands for it in cost calculations. */
  readonly regexSize: number
  /** Why the text does not have the format; nothing where it has. */
  validate(text: string): string[]
}

export function namedFormats(): ReadonlyMap<string, NamedFormat> {
  return FORMATS
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_VALUE = `(${QUALIFIED})?`

/** The length of the patterns of kube-openapi for a UUID and for the time of a date-time. */
const UUID_REGEX_SIZE = 70
const DATETIME_REGEX_SIZE = 71

const FORMATS: ReadonlyMap<string, NamedFormat> = new Map(
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
    format('uuid', 'uuid', UUID_REGEX_SIZE, (text) =>
      /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)
        ? []
        : ['does not match the UUID format'],
    ),
    format('byte', 'byte', 84, (text) => (isBase64(text) ? [] : ['invalid base64'])),
    format('date', 'date', DATETIME_REGEX_SIZE, (text) =>
      parseDate(text) === undefined ? ['invalid date'] : [],
    ),
    format('datetime', 'datetime', DATETIME_REGEX_SIZE, (text) =>
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
  if (matches(LABEL, text)) return errors
  if (matches(SUBDOMAIN, text)) return [...errors, 'must not contain dots']
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
  return [...errors, regexError(message, LABEL, 'my-name', '123-abc')]
}

function checkSubdomain(text: string): string[] {
  const errors = tooLong(text, 253)
  if (matches(SUBDOMAIN, text)) return errors
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
  return [...errors, regexError(message, SUBDOMAIN, 'example.com')]
}

function checkLabel1035(text: string): string[] {
  const errors = tooLong(text, 63)
  if (matches(LABEL_1035, text)) return errors
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
  return [...errors, regexError(message, LABEL_1035, 'my-name', 'abc-123')]
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
      `${regexError(whole, QUALIFIED, 'MyName', 'my.name', '123-abc')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  if (name === '') errors.push('name part must be non-empty')
  else if (name.length > 63) errors.push('name part must be no more than 63 characters')
  if (!matches(QUALIFIED, name)) {
    errors.push(`name part ${regexError(message, QUALIFIED, 'MyName', 'my.name', '123-abc')}`)
  }
  return errors
}

function checkLabelValue(text: string): string[] {
  const errors = tooLong(text, 63)
  if (matches(LABEL_VALUE, text)) return errors
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
  return [...errors, regexError(message, LABEL_VALUE, 'MyValue', 'my_value', '12345')]
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
  const shown = examples.map((example) => `'${example}', `).join(' or ')
  return `${message} (e.g. ${shown}regex used for validation is '${pattern}')`
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
