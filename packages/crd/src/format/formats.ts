import { isCidr, isIPv4, isIPv6, isMac } from './address.ts'
import { isBase64, isCreditCard, isIsbn10, isIsbn13 } from './code.ts'
import { isEmail } from './email.ts'
import { isHostname, isRequestUri } from './locator.ts'
import { isDns1123Label, isDns1123Subdomain } from './names.ts'
import { isDate, isDateTime, isDuration } from './time.ts'

type FormatCheck = (value: string) => boolean

/**
 * The check of a string format of a CRD, or undefined if the API server ignores the format. Dashes in the name are
 * ignored: `date-time` and `datetime` are the same.
 */
export function stringFormat(name: string): FormatCheck | undefined {
  return checksByFormat.get(name.replaceAll('-', ''))
}

const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const uuid3Pattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const uuid4Pattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i
const uuid5Pattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i
const hexColorPattern = /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/
const colorPart = '[\\t\\n\\f\\r ]*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])[\\t\\n\\f\\r ]*'
const rgbColorPattern = new RegExp(`^rgb\\(${colorPart},${colorPart},${colorPart}\\)$`)
const socialSecurityPattern = /^\d{3}[- ]?\d{2}[- ]?\d{4}$/

const checksByFormat: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', (value) => /^[0-9a-fA-F]{24}$/.test(value)],
  ['byte', isBase64],
  ['cidr', isCidr],
  ['creditcard', isCreditCard],
  ['date', isDate],
  ['datetime', isDateTime],
  ['duration', isDuration],
  ['email', isEmail],
  ['hexcolor', (value) => hexColorPattern.test(value)],
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
  ['rgbcolor', (value) => rgbColorPattern.test(value)],
  ['ssn', (value) => value.length === 11 && socialSecurityPattern.test(value)],
  ['uri', isRequestUri],
  ['uuid', (value) => uuidPattern.test(value)],
  ['uuid3', (value) => uuid3Pattern.test(value)],
  ['uuid4', (value) => uuid4Pattern.test(value)],
  ['uuid5', (value) => uuid5Pattern.test(value)],
])
