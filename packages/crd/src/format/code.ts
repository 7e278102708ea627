/**
 * Whether the text is base64 in the standard alphabet, padded and not empty. Checked without a regular expression,
 * because it may be megabytes long.
 */
export function isBase64(value: string): boolean {
  const length = value.length
  if (length === 0 || length % 4 !== 0) return false
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0
  for (let index = 0; index < length - padding; index += 1) {
    if (!isBase64Code(value.charCodeAt(index))) return false
  }
  return true
}

function isBase64Code(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2b ||
    code === 0x2f
  )
}

const creditCardPattern =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/

export function isCreditCard(value: string): boolean {
  const number = value.replace(/[^0-9]+/g, '')
  if (!creditCardPattern.test(number)) return false
  let sum = 0
  for (let index = 0; index < number.length; index += 1) {
    const digit = Number(number[number.length - 1 - index])
    const doubled = index % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

export function isIsbn10(value: string): boolean {
  const code = compact(value)
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(code)) return false
  let sum = 0
  for (let index = 0; index < 10; index += 1) {
    sum += (index + 1) * (code[index] === 'X' ? 10 : Number(code[index]))
  }
  return sum % 11 === 0
}

export function isIsbn13(value: string): boolean {
  const code = compact(value)
  if (!/^[0-9]{13}$/.test(code)) return false
  let sum = 0
  for (let index = 0; index < 13; index += 1) sum += Number(code[index]) * (index % 2 === 0 ? 1 : 3)
  return sum % 10 === 0
}

function compact(value: string): string {
  return value.replace(/[\t\n\f\r -]+/g, '')
}
