import type { WorkflowDefinitionOptions } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';

/**
 * For `setWorkflowOptions` of a workflow that ends within minutes: it ends on the version that began it. Temporal takes no behaviour from a
 * worker without a version.
 */
export function pinned(): WorkflowDefinitionOptions {
  const deploymentName = workflowInfo().currentDeploymentVersion?.deploymentName ?? '';
  return deploymentName === '' ? {} : { versioningBehavior: 'PINNED' };
}
