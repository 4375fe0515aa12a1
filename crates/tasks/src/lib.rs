//! Standing orders: what is due becomes a trigger in the inbox, and what came of it reaches the owner. Running a turn is left to the agent.
