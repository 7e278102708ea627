import { isDns1123Label, isDns1123Subdomain } from '../structural/names.ts'
import { isCidr, isIPv4, isIPv6, isMac } from './address.ts'
import { isBase64, isCreditCard, isIsbn10, isIsbn13 } from './code.ts'
import { isEmail } from './email.ts'
import { isHostname, isRequestUri } from './locator.ts'
import { isDate, isDateTime, isDuration } from './time.ts'

export type FormatCheck = (value: string) => boolean

/**
 * The check behind a string format of a CRD, or undefined when the API server would ignore the format. Dashes in the
 * name do not count: `date-time` and `datetime` are one.
 */
export function stringFormat(name: string): FormatCheck | undefined {
  return FORMATS.get(name.replaceAll('-', ''))
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i
const HEX_COLOR = /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/
const COLOR_PART = '[\\t\\n\\f\\r ]*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])[\\t\\n\\f\\r ]*'
const RGB_COLOR = new RegExp(`^rgb\\(${COLOR_PART},${COLOR_PART},${COLOR_PART}\\)$`)
const SOCIAL_SECURITY = /^\d{3}[- ]?\d{2}[- ]?\d{4}$/

const FORMATS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', (value) => /^[0-9a-fA-F]{24}$/.test(value)],
  ['byte', isBase64],
  ['cidr', isCidr],
  ['creditcard', isCreditCard],
  ['date', isDate],
  ['datetime', isDateTime],
  ['duration', isDuration],
  ['email', isEmail],
  ['hexcolor', (value) => HEX_COLOR.test(value)],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['isbn', (value) => isIsbn10(value) || isIsbn13(value)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['k8slongname', (value) => value.length <= 253 && isDns1123Subdomain(value)],
  ['k8sshortname', (value) => value.length <= 63 && isDns1123Label(value)],
  ['mac', isMac],
  ['password', () => true],
  ['rgbcolor', (value) => RGB_COLOR.test(value)],
  ['ssn', (value) => value.length === 11 && SOCIAL_SECURITY.test(value)],
  ['uri', isRequestUri],
  ['uuid', (value) => UUID.test(value)],
  ['uuid3', (value) => UUID3.test(value)],
  ['uuid4', (value) => UUID4.test(value)],
  ['uuid5', (value) => UUID5.test(value)],
])
