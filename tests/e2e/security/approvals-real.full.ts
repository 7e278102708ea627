import { describeApprovalAttacks } from './approval-attacks.ts'

describeApprovalAttacks('real')
