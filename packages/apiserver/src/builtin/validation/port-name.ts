/** Returns messages if a port name is invalid. */
export function portName(name: string): string[] {
  const errors: string[] = []
  if (name.length > 15) errors.push('must be no more than 15 characters')
  if (!/^[-a-z0-9]+$/.test(name)) {
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(name)) errors.push('must contain at least one letter (a-z)')
  if (name.includes('--')) errors.push('must not contain consecutive hyphens')
  if (name.startsWith('-') || name.endsWith('-')) {
    errors.push('must not begin or end with a hyphen')
  }
  return errors
}
