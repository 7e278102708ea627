interface AcceptClause {
  /** In lower case. */
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

/** Further clauses are ignored. Clients send a handful. */
const maxClauses = 100
const maxClauseParameters = 20

/** The clauses of an `Accept` header, preferred ones first. */
export function acceptClauses(accept: string): AcceptClause[] {
  const parsed = accept.split(',', maxClauses).map((text) => {
    const [type = '', ...rest] = text.split(';', maxClauseParameters).map((part) => part.trim())
    const parameters = new Map<string, string>()
    for (const part of rest) {
      const at = part.indexOf('=')
      if (at > 0) parameters.set(part.slice(0, at).trim(), part.slice(at + 1).trim())
    }
    const quality = Number(parameters.get('q') ?? 1)
    return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality }
  })
  return parsed.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality)
}
