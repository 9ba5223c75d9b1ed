# The commands people type. Each does all its own set-up; the work is done in scripts/.
.DEFAULT_GOAL := help
SCRIPTS := demo lint unit playbooks browser sanity molecule matrix bench speed queues autotune paused cost survey docs pictures build release setup env clean
.PHONY: help test $(SCRIPTS)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## start the lab, audit it, tune it, tune it again; measure and prove in a classroom
test: ## lint, unit, playbooks, browser, sanity, speed and molecule, with the time of each
	@scripts/test.sh lint unit playbooks browser sanity speed molecule
lint: ## ruff, mypy, yamllint, ansible-lint, changelog, documentation, shellcheck, galaxy-importer
unit: ## unit tests on each ansible-core that this machine can run
playbooks: ## unit tests that play whole playbooks, on the oldest and the newest ansible-core
browser: ## the pages that the collection writes, in a headless Chromium
sanity: ## ansible-test sanity on each ansible-core that this machine can run
molecule: ## every scenario on one release, some on others: virtual machines with emulated NICs, and containers
matrix: ## every scenario on every release; writes docs/support.md
bench: ## compare site with ping and with a playbook by hand, on 20 hosts made of namespaces
speed: ## fail if an unchanged site costs the controller more than 0.8 pings of processor time
queues: ## compare mq, clsact and multiq: ten clients receiving at once, on the lab
autotune: ## sow bottlenecks on the lab, and compare what autotune finds with the best known setting
paused: ## what one slow client does to nine others behind a switch that pauses, with and without rates
cost: ## time, memory and page of the report of an audit, of 50 to 1,000 hosts
survey: ## ask the drivers of the lab what they make of each setting, on every release, and keep the answers
docs: ## write the pages of the settings and drivers, and the documentation site into dist/docs
pictures: ## take the pictures of the documentation from what the last demo has left
build: ## build the collection's archive into dist
release: ## turn the changelog fragments into CHANGELOG.md
setup: ## make the virtual environments (the other targets do it by themselves)
env: ## print the variables of the quick loop, for eval
clean: ## stop the lab; remove virtual environments, caches and archives

$(SCRIPTS):
	@scripts/$@.sh $(ARGS)
