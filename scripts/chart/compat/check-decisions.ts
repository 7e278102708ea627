import type { Finding } from './chart-snapshot.ts'
import type { AcceptedChange } from './compare-charts.ts'

/** What is wrong with ci/accepted-changes.yaml: a decision says why and since when, is told to people, and decides something. */
export function checkDecisions(
  accepted: readonly AcceptedChange[],
  findings: readonly Finding[],
  changelog: string,
): readonly string[] {
  return accepted.flatMap((decision) => {
    const { rule, subject, reason, since, changelog: line } = decision
    const isUsed = findings.some((finding) => finding.rule === rule && finding.subject === subject)
    const problems = [
      isUsed ? '' : 'accepts nothing any more: remove it',
      reason ? '' : 'has no reason',
      since ? '' : 'does not say since which version',
      line && changelog.includes(line) ? '' : 'quotes no line of CHANGELOG.md as its changelog',
    ]
    return problems
      .filter((problem) => problem !== '')
      .map((problem) => `accepted-changes.yaml: ${rule} ${subject} ${problem}`)
  })
}
