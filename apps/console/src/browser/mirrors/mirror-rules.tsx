import type { ApiObject } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { useConsoleData } from '../data/console-data.tsx'
import { useObjects } from '../data/use-objects.ts'
import { ListFailure } from '../parts/list-failure.tsx'
import { Plain } from '../parts/plain.tsx'
import { Table } from '../parts/table.tsx'
import { clusterRuleKind, mirrorOf, ruleKind, selectionsOf } from './mirror-object.ts'

/** Rules of the cluster change seldom. */
const clusterRulesMs = 10_000

/** What the rules select, and what they leave out, for those who may list them. */
export function MirrorRules({ target }: { readonly target: ApiObject }) {
  const { namespace } = target.metadata
  const { objects, error } = useObjects(ruleKind, namespace)
  const ofCluster = useClusterRules(mirrorOf(target).spec.allowClusterRules === true)
  const selections = selectionsOf([...(objects ?? []), ...(ofCluster.data?.items ?? [])], target)
  const isKnown = objects !== undefined && !ofCluster.isLoading
  return (
    <>
      <h2>Rules</h2>
      <ListFailure error={error} kind={ruleKind} namespace={namespace} />
      {ofCluster.error !== null && (
        <p className="quiet">
          Rules of the cluster may select more: you may not list {clusterRuleKind}.
        </p>
      )}
      {isKnown && ofCluster.error === null && selections.length === 0 && (
        <p className="quiet">No rule selects objects for it.</p>
      )}
      {selections.length > 0 && (
        <Table label="Rules of the mirror" columns={['Rule', 'Mirrors', 'Leaves out']}>
          {selections.map(({ rule, resources, leftOut }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a rule have no names
            <tr key={`${rule} ${at}`}>
              <td>
                <Plain text={rule} />
              </td>
              <td>
                <Plain text={resources} />
              </td>
              <td>
                <Plain text={leftOut === '' ? 'nothing' : leftOut} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}

function useClusterRules(enabled: boolean) {
  const { client } = useConsoleData()
  return useQuery({
    queryKey: ['objects', clusterRuleKind, 'of the cluster'],
    queryFn: ({ signal }) => client.listObjects(clusterRuleKind, { limit: 500 }, signal),
    refetchInterval: clusterRulesMs,
    retry: false,
    enabled,
  })
}
