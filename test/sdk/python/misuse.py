"""What mypy must find in a program that uses the SDK wrongly: each line that says so, and no other."""

from agent_action_runtime import Client, verify_delivery
from agent_action_runtime.types import Invocation, PublishMessageRequest

client = Client("http://127.0.0.1:3000", "key")

invocation: Invocation = client.invoke("demo.echo", {"message": "hello"}, wait=30)
grade: str = invocation["grade"]
invocation["graed"]  # wrong
invocation["status"] == "done"  # wrong
client.invoke("demo.echo", "hello")  # wrong
client.invoke("demo.echo", {}, operationKey="a")  # wrong

for approval in client.pages(client.approvals.list, status="pending"):
    digest: str = approval["bindingDigest"]
    number: int = approval["summary"]  # wrong

message: PublishMessageRequest = {"url": "https://example.com/hook", "maxRetries": 3}
client.messages.publish(message)
client.messages.publish({"url": "https://example.com/hook", "maxRetires": 3})  # wrong
client.messages.publish(message, idempotency_key="a")
client.messages.list(status="lost")  # wrong
client.nothing.list()  # wrong
verify_delivery({}, b"", secret="whsec_", environment="a")  # wrong
